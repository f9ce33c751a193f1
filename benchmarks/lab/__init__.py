"""How fast the lab answers, and how heavy its page is."""
