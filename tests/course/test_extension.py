"""A real kernel, the notebook of a small course, and a learner who edits while it runs."""

import base64
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

CHECKOUT = Path(__file__).resolve().parents[2]
LOAD = "%load_ext minigrad.course"
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
FILE = "chapters/01_small/box.py"
OPEN_1, OPEN_2, OPEN_3 = (f'raise NotImplementedError("exercise 1.{n}")' for n in (1, 2, 3))


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


def test_untouched_chapter_says_whose_code_and_ends_in_a_sentence(box: Any, kernel: Kernel) -> None:
    first = kernel.run(f"{LOAD}\nfrom minigrad.box import Box, square")
    assert first.printed == (
        "chapter 1, build/trees/nb-01: open 1.1, 1.2, 1.3; the reference elsewhere\n"
    )
    answer = kernel.run("Box(3).double()")
    assert answer.error == (
        f"exercise 1.1 is still open ({FILE}:13). A first hint: minigrad hint 1.1"
    )
    assert box.read(FILE).split("\n")[12].strip().startswith("# <ex 1.1>")
    assert (answer.name, answer.printed) == ("NotImplementedError", "")


def test_a_body_written_meanwhile_serves_what_was_made_before(box: Any, kernel: Kernel) -> None:
    kernel.run(f"{LOAD}\nfrom minigrad.box import Box, square\nimport minigrad.other\nb = Box(3)")
    box.rewrite(FILE, (OPEN_1, "return 2 * self.x"))
    answer = kernel.run("b.double(), isinstance(b, Box), minigrad.other.fourfold(1)")
    assert (answer.printed, answer.value) == ("now running your 1.1\n", "(6, True, 4)")
    assert kernel.run("b.double()").printed == "", "said once"
    box.rewrite(FILE, (OPEN_2, "return -self.x"), (OPEN_3, "return x * x"))
    answer = kernel.run("b.negative, square(5), minigrad.other.ninth(2)")
    assert (answer.printed, answer.value) == ("now running your 1.2, 1.3\n", "(-3, 25, 5)")
    # The same length within the same second: neither size nor time of the file tells them apart.
    times = os.stat(box.root / FILE)
    for body, expected in (("return 3 * self.x", "9"), ("return 5 * self.x", "15")):
        text = re.sub(r"return \d \* self.x", body, box.read(FILE))
        (box.root / FILE).write_text(text, encoding="utf-8")
        os.utime(box.root / FILE, ns=(times.st_atime_ns, times.st_mtime_ns))
        answer = kernel.run("b.double()")
        assert (answer.printed, answer.value) == ("now running your 1.1\n", expected)
    box.rewrite(FILE, ("return 5 * self.x", OPEN_1))
    answer = kernel.run("b.double()")
    assert answer.printed == "open again: 1.1\n"
    assert answer.error.startswith("exercise 1.1 is still open")


def test_what_stands_outside_the_exercises_is_taken_too(box: Any, kernel: Kernel) -> None:
    kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nb = Box(3)")
    helper = "\n\nimport math\n\n\ndef floor(x):\n    return math.floor(x)\n\n\nclass Box:"
    box.rewrite(FILE, ("\n\nclass Box:", helper), (OPEN_1, "return floor(2.5) * self.x"))
    answer = kernel.run("b.double(), type(b) is Box")
    assert (answer.printed, answer.value) == ("now running your 1.1\n", "(6, True)")
    box.rewrite(FILE, ("return math.floor(x)", "return math.floor(x) + 1"))
    answer = kernel.run("b.double()")
    assert (answer.printed, answer.value) == (f"now running your {FILE}\n", "9")


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        (
            "return 2 * self.x",
            "return 2 * (self.x",
            f"{FILE}:14: SyntaxError: '(' was never closed",
        ),
        ("# </ex 1.1>", "# </ex 1.1", f"{FILE}:15: a damaged exercise marker"),
        (
            '"""A number',
            '1 / 0\n"""A number',
            f"{FILE}:2: ZeroDivisionError while it was read again",
        ),
    ],
    ids=["syntax", "marker", "raises"],
)
def test_no_old_code_runs_while_the_file_is_broken(
    box: Any, kernel: Kernel, good: str, bad: str, said: str
) -> None:
    box.rewrite(FILE, (OPEN_1, "return 2 * self.x"))
    kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nb = Box(3)\nran = []")
    box.rewrite(FILE, (good, bad))
    for _ in range(2):
        answer = kernel.run("ran.append(1)\nb.double()")
        assert answer.error.startswith(said), answer
        assert (answer.error.count("\n"), answer.value, answer.name) == (0, "", "Stopped")
    box.rewrite(FILE, (bad, good))
    assert kernel.value("ran, b.double()") == "([], 6)"
    box.rewrite(FILE, (good, bad))
    assert kernel.run("b.double()").error.startswith(said)
    box.rewrite(FILE, (bad, good), ("return 2 * self.x", "return 7 * self.x"))
    answer = kernel.run("b.double()")
    assert (answer.printed, answer.value) == ("now running your 1.1\n", "21")


def test_two_files_of_which_one_raises_and_both_are_put_back(
    make_checkout: Callable[..., Any], start: Callable[..., Kernel]
) -> None:
    crate = (
        "LID = 1\n\n\ndef lid():\n    # <ex 1.4> the lid (1 line)\n    return 1\n    # </ex 1.4>\n"
    )
    two = make_checkout(
        sources={"minigrad/box.py": SOURCE, "minigrad/crate.py": crate}, machinery=True
    )
    kernel = start(two.root / "chapters" / "01_small", two.root)
    two.rewrite(FILE, (OPEN_1, "return 2 * self.x"))
    kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nimport minigrad.crate\nb = Box(3)")
    two.rewrite(FILE, ("return 2 * self.x", "return 9 * self.x"))
    two.rewrite("chapters/01_small/crate.py", ("LID = 1", "LID = 1 / 0"))
    assert "crate.py:2: ZeroDivisionError" in kernel.run("b.double()").error
    two.rewrite(FILE, ("return 9 * self.x", "return 2 * self.x"))
    two.rewrite("chapters/01_small/crate.py", ("LID = 1 / 0", "LID = 1"))
    assert kernel.value("b.double()") == "6"


def test_a_file_that_is_broken_from_the_start(box: Any, kernel: Kernel) -> None:
    box.rewrite(FILE, (OPEN_1, "return 2 * ("))
    said = f"{FILE}:14: SyntaxError: '(' was never closed. return 2 * ("
    answer = kernel.run(f"{LOAD}\nfrom minigrad.box import Box")
    assert answer.error == said
    assert kernel.run("1 + 1").error == said
    box.rewrite(FILE, ("return 2 * (", "return 2 * self.x"))
    answer = kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nBox(3).double()")
    assert answer.value == "6"
    assert answer.printed == (
        "chapter 1, build/trees/nb-01: yours 1.1; open 1.2, 1.3; the reference elsewhere\n"
    )
    assert kernel.run(LOAD).printed == answer.printed, "once more changes nothing"


def test_errors_name_the_learners_own_file_and_line(box: Any, kernel: Kernel) -> None:
    box.rewrite(FILE, (OPEN_1, "return 1 / self.x"))
    kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nb = Box(0)")
    answer = kernel.run("b.double()")
    assert "ZeroDivisionError" in answer.error and "14 return 1 / self.x" in answer.error
    assert f"{FILE}:14" in answer.error and "build/trees" not in answer.error
    box.rewrite(FILE, ("1 / self.x", "2 / self.x"))
    assert "14 return 2 / self.x" in kernel.run("b.double()").error


def test_an_ordinary_notimplementederror_keeps_its_traceback(box: Any, kernel: Kernel) -> None:
    kernel.run(LOAD)
    answer = kernel.run('raise NotImplementedError("not today")')
    assert "Traceback" in answer.error and "not today" in answer.error


def test_a_folder_that_is_no_chapter(box: Any, start: Callable[..., Kernel]) -> None:
    kernel = start(box.root, box.root)
    answer = kernel.run(LOAD)
    assert answer.error == (
        f"{box.root} is not the folder of a chapter, so it is not clear whose code to run. Open a "
        f"chapter's notebook (make lab), or run %cd {box.root}/chapters/01_small before {LOAD}"
    )
    kernel.run(f"%cd {box.root}/chapters/01_small")
    assert kernel.run(LOAD).printed.startswith("chapter 1, ")


def test_the_notebooks_folder_is_found_by_name(box: Any, start: Callable[..., Kernel]) -> None:
    name = str(box.root / "chapters" / "02_more" / "02_more.ipynb")
    kernel = start(box.root, box.root, JPY_SESSION_NAME=name)
    os.rename(box.root / "chapters" / "02_large", box.root / "chapters" / "02_more")
    answer = kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nBox(3).double()")
    assert answer.printed.startswith("chapter 2, build/trees/nb-02: open 2.1;")
    assert answer.value == "6", "chapter 1 is the reference here"


def test_solutions_run_the_reference(box: Any, start: Callable[..., Kernel]) -> None:
    kernel = start(box.root / "solutions" / "01_small", box.root)
    answer = kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nBox(3).double()")
    assert (answer.printed, answer.value) == (
        "chapter 1, build/trees/reference: the reference\n",
        "6",
    )


def test_another_checkout_than_the_installed_one(
    box: Any, start: Callable[..., Kernel], tmp_path: Path
) -> None:
    """The notebook's own checkout is what runs, machinery too, whatever Python has installed."""
    installed = tmp_path / "installed"
    shutil.copytree(box.root / "minigrad", installed / "minigrad")
    box.rewrite("minigrad/course/extension.py", ("now running your", "at once your"))
    kernel = start(box.root / "chapters" / "01_small", installed)
    answer = kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nb = Box(3)\nb.__class__.__module__")
    assert answer.printed.startswith("chapter 1, build/trees/nb-01: ")
    box.rewrite(FILE, (OPEN_1, "return 2 * self.x"))
    answer = kernel.run("b.double()")
    assert (answer.printed, answer.value) == ("at once your 1.1\n", "6")
    tree = box.root / "build" / "trees" / "nb-01"
    assert kernel.value("import minigrad; minigrad.__file__") == repr(
        str(tree / "minigrad/__init__.py")
    )


def test_pictures_are_light_small_and_free_of_versions(kernel: Kernel) -> None:
    kernel.run(LOAD)
    shown: list[str] = []

    def hook(message: dict[str, Any]) -> None:
        shown.append(message["content"].get("data", {}).get("image/png", ""))

    cell = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
    kernel.client.execute_interactive(cell, output_hook=hook, timeout=60)
    picture = base64.b64decode("".join(shown))
    assert picture.startswith(b"\x89PNG") and b"Software" not in picture
    assert 600 < int.from_bytes(picture[16:20], "big") <= 720, "pixels across"
    assert kernel.value("plt.rcParams['figure.facecolor']") == "'white'"
