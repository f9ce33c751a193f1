"""A saved model behind a small local HTTP service: `mercer serve`."""
