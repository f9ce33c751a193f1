"""Learning, predicting and counting over files that need not fit into memory."""
