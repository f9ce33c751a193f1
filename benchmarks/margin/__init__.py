"""Speed of the perceptrons, of the linear-programming machines and of the neighbours."""
