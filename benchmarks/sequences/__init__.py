"""String kernels, distances and Lipschitz machines beside their peers."""
