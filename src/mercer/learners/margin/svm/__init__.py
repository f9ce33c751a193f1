"""Support vector machines: classification, regression, novelty, and what is read off them."""
