"""The product: from data as people have them to a certified model, its record and its pages."""
