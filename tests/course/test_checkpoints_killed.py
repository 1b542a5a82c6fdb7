"""A training that was killed, at whatever moment, comes to what the unbroken one does."""

import json
import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from resumed import same_end

import minigrad as mg
from minigrad.course import train

STEPS = 100  # two epochs of 45, and some
# Where each life of a run ends: so many steps after it began, or in the middle of so many saves.
LIVES = {"20 steps": 0, "3 saves": 0, "50 steps": 45}


def life(out, *options, end=""):
    """A run in a process of its own, over this very minigrad, with one thread for BLAS."""
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM")}
    tree = Path(mg.__file__).parent.parent
    arguments = ["digits", "--steps", str(STEPS), "--seed", "5", "--json", "--out", str(out)]
    return subprocess.run(
        [sys.executable, __file__, end, *arguments, *options],
        env={**os.environ, **threads, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
    )


def main(end, arguments):
    """The child: a training that is killed with no warning at a given moment."""
    count, what = (*end.split(), "")[:2] if end else (0, "")
    place = {"steps": (import_module("minigrad.training"), "train_step"), "saves": (os, "replace")}
    if what:
        module, name = place[what]
        call, left = getattr(module, name), int(count)

        def counted(*given):
            nonlocal left
            left -= 1
            if left < 0 or (left == 0 and what == "saves"):
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*given)

        setattr(module, name, counted)
    return train.main(arguments)


def test_killed_at_any_moment_it_ends_where_the_unbroken_run_does(tmp_path):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    unbroken = life(whole)
    assert unbroken.returncode == 0, unbroken.stderr
    ends = iter(LIVES)
    killed = life(broken, end=next(ends))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    for end, start in list(LIVES.items())[1:]:
        killed = life(broken, "--resume", end=end)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert f"goes on after step {start} of {STEPS}\n" in killed.stderr
    last = life(broken, "--resume")
    assert last.returncode == 0 and f"goes on after step 90 of {STEPS}\n" in last.stderr
    same_end(broken, whole)
    ours, theirs = json.loads(last.stdout), json.loads(unbroken.stdout)
    for key in ("seconds", "pictures", "checkpoint"):
        assert ours.pop(key) != theirs.pop(key)
    assert ours == theirs and ours["steps"] == STEPS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
