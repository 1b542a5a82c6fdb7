"""A real kernel, and a small course whose notebook it could be running."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

CHECKOUT = Path(__file__).resolve().parents[3]
SOURCE = '''"""A number in a box."""


class Box:
    """One number."""

    def __init__(self, x):
        self.x = x

    def double(self):
        """Twice x."""
        # <ex 1.1> twice the number (1 line)
        return 2 * self.x
        # </ex 1.1>

    @property
    def negative(self):
        """Minus x."""
        # <ex 1.2> minus the number (1 line)
        return -self.x
        # </ex 1.2>


def square(x):
    """x times x."""
    # <ex 1.3> the square (1 line)
    return x * x
    # </ex 1.3>
'''
OTHER = '''"""What another chapter makes of boxes."""

from minigrad.box import Box, square


def fourfold(x):
    """Four times x."""
    # <ex 2.1> twice, twice (1 line)
    return Box(Box(x).double()).double()
    # </ex 2.1>


def ninth(x):
    """x squared, plus one."""
    return square(x) + 1
'''


@dataclass
class Answer:
    """What a cell gave: all it printed, the value it ended in, the error as it is shown."""

    printed: str = ""
    value: str = ""
    error: str = ""
    name: str = ""


@dataclass
class Kernel:
    """A running kernel that cells are sent to."""

    client: BlockingKernelClient
    seen: list[Answer] = field(default_factory=list)

    def run(self, cell: str) -> Answer:
        answer = Answer()

        def hook(message: dict[str, Any]) -> None:
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                answer.printed += content["text"]
            elif kind == "execute_result":
                answer.value = content["data"]["text/plain"]
            elif kind == "error":
                text = "\n".join(content["traceback"])
                answer.error = re.sub(r"\x1b\[[0-9;]*m", "", text)

        reply = self.client.execute_interactive(cell, output_hook=hook, timeout=60)
        answer.name = reply["content"].get("ename", "")
        assert (reply["content"]["status"] == "error") == bool(answer.error), answer
        return answer

    def value(self, cell: str) -> str:
        answer = self.run(cell)
        assert not answer.error, answer.error
        return answer.value


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Kernel]]:
    """start(folder): a kernel whose working directory is that folder."""
    running: list[tuple[KernelManager, BlockingKernelClient]] = []

    def begin(folder: Path, path: Path = CHECKOUT, **variables: str) -> Kernel:
        manager = KernelManager(kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
        environment = {k: v for k, v in os.environ.items() if k != "MPLBACKEND"}
        environment |= {"PYTHONPATH": str(path), "IPYTHONDIR": str(tmp_path / "ipython")}
        quiet = ["--Application.log_level=40"]
        manager.start_kernel(
            cwd=str(folder), env={**environment, **variables}, extra_arguments=quiet
        )
        client = manager.client()
        client.start_channels()
        client.wait_for_ready(timeout=60)
        running.append((manager, client))
        return Kernel(client)

    yield begin
    for manager, client in running:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.fixture
def box(make_checkout: Callable[..., Any]) -> Any:
    """A checkout with its own machinery, chapter 1 untouched."""
    return make_checkout(
        sources={"minigrad/box.py": SOURCE, "minigrad/other.py": OTHER}, machinery=True
    )


@pytest.fixture
def kernel(box: Any, start: Callable[..., Kernel]) -> Kernel:
    return start(box.root / "chapters" / "01_small", box.root)
