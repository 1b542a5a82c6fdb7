"""A copy of this checkout, in which commands are typed as a learner types them."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]
FILE = "chapters/01_scalar/scalar.py"


@dataclass(frozen=True)
class Scratch:
    """A copy of the checkout, untouched, in which commands are typed."""

    root: Path

    @property
    def file(self):
        """Where the learner of chapter 1 writes."""
        return self.root / FILE

    def start(self, *arguments, cwd=None):
        """A command that runs on; read its output line by line."""
        code = "from minigrad.course.entry import main; main()"
        settings = {"PYTHONPATH": str(self.root), "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}
        return subprocess.Popen(
            [sys.executable, "-P", "-c", code, *map(str, arguments)],
            cwd=cwd or self.root,
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def minigrad(self, *arguments, cwd=None):
        with self.start(*arguments, cwd=cwd) as process:
            out, err = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def states(self):
        done = self.minigrad("status", "--json")
        listed = json.loads(done.stdout)["exercises"]
        return {e["id"]: e["state"] for e in listed if e["chapter"] == "01_scalar"}

    def rewrite(self, old, new):
        text = self.file.read_text()
        assert old in text, old
        self.file.write_text(text.replace(old, new))


@pytest.fixture
def scratch(tmp_path):
    """Every file that git tracks or would track; chapters/ as they are committed."""
    root = tmp_path / "scratch"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=CHECKOUT, capture_output=True, check=True).stdout
    for name in names.decode().split("\0"):
        if name and (CHECKOUT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / name, root / name)
    place = Scratch(root)
    done = place.minigrad("reset", "1")
    assert done.returncode == 0, done.stderr
    return place
