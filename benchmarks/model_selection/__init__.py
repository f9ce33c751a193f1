"""Which criterion chooses best: the thesis' experiment, and the users' question."""
