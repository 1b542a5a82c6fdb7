"""The engine you read: arrays, ops with their gradients, the tape, on NumPy kernels."""
