"""What a run ran on, in words that say nothing of whose machine it is."""

import os
import platform
from pathlib import Path
from typing import Any

import numpy as np

from minigrad import native
from minigrad.bench import baselines
from minigrad.bench.limits import Limits
from minigrad.kernels.isa import FLAGS

CPUINFO = Path("/proc/cpuinfo")


def describe(limits: Limits) -> dict[str, Any]:
    """Processor, system and versions; the compiler that made our kernels."""
    info = native.load().build_info()
    found = {
        "cpu": cpu(),
        "cores": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "isa": limits.isa,
        "compiler": str(info.get("compiler", "unknown")),
        "flags": " ".join(FLAGS),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "clock": "CPU time of the process",
    }
    if not baselines.torch_missing():
        import torch

        found["torch"] = torch.__version__
    return found


def cpu(file: Path = CPUINFO) -> str:
    """The processor's name, or its architecture where the system does not say."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
