"""Ways to spend rows on a certificate, one per file."""
