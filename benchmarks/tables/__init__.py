"""Real tables from packages of the registries: does the product see what a statistician would?"""
