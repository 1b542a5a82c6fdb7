"""%load_ext in a real kernel: whose code runs, and how an open exercise ends."""

import base64
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

LOAD = "%load_ext minigrad.course"
FILE = "chapters/01_small/box.py"
OPEN_1, OPEN_2, OPEN_3 = (f'raise NotImplementedError("exercise 1.{n}")' for n in (1, 2, 3))


def test_untouched_chapter_says_whose_code_and_ends_in_a_sentence(box: Any, kernel: Any) -> None:
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


def test_a_file_that_is_broken_from_the_start(box: Any, kernel: Any) -> None:
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


def test_an_ordinary_notimplementederror_keeps_its_traceback(box: Any, kernel: Any) -> None:
    kernel.run(LOAD)
    answer = kernel.run('raise NotImplementedError("not today")')
    assert "Traceback" in answer.error and "not today" in answer.error


def test_a_folder_that_is_no_chapter(box: Any, start: Callable[..., Any]) -> None:
    kernel = start(box.root, box.root)
    answer = kernel.run(LOAD)
    assert answer.error == (
        f"{box.root} is not the folder of a chapter, so it is not clear whose code to run. Open a "
        f"chapter's notebook (make lab), or run %cd {box.root}/chapters/01_small before {LOAD}"
    )
    kernel.run(f"%cd {box.root}/chapters/01_small")
    assert kernel.run(LOAD).printed.startswith("chapter 1, ")


def test_the_notebooks_folder_is_found_by_name(box: Any, start: Callable[..., Any]) -> None:
    name = str(box.root / "chapters" / "02_more" / "02_more.ipynb")
    kernel = start(box.root, box.root, JPY_SESSION_NAME=name)
    os.rename(box.root / "chapters" / "02_large", box.root / "chapters" / "02_more")
    answer = kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nBox(3).double()")
    assert answer.printed.startswith("chapter 2, build/trees/nb-02: open 2.1;")
    assert answer.value == "6", "chapter 1 is the reference here"


def test_solutions_run_the_reference(box: Any, start: Callable[..., Any]) -> None:
    kernel = start(box.root / "solutions" / "01_small", box.root)
    answer = kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nBox(3).double()")
    assert (answer.printed, answer.value) == (
        "chapter 1, build/trees/reference: the reference\n",
        "6",
    )


def test_another_checkout_than_the_installed_one(
    box: Any, start: Callable[..., Any], tmp_path: Path
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


def test_pictures_are_light_small_and_free_of_versions(kernel: Any) -> None:
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
