"""What runs as one kernel where a backend has such kernels: whole ops, and whole steps of an
optimiser. kernels.use("cpp") loads it; the engine you read is complete without.
"""

from minigrad.fused import ops, steps

__all__ = ["ops", "steps"]
