"""The files beside the tests can be imported by their names; PyTorch takes one thread."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))
torch.set_num_threads(1)  # its arrays here are small, and the tests beside it take the others
