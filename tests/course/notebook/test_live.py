"""A learner edits files while the notebook runs: the new code runs, or a sentence says why not."""

import os
import re
from typing import Any

import pytest

LOAD = "%load_ext minigrad.course"
FILE = "chapters/01_small/box.py"
OPEN_1, OPEN_2, OPEN_3 = (f'raise NotImplementedError("exercise 1.{n}")' for n in (1, 2, 3))


def test_a_body_written_meanwhile_serves_what_was_made_before(box: Any, kernel: Any) -> None:
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


def test_what_stands_outside_the_exercises_is_taken_too(box: Any, kernel: Any) -> None:
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
    box: Any, kernel: Any, good: str, bad: str, said: str
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


def test_two_files_of_which_one_raises_and_both_are_put_back(box: Any, kernel: Any) -> None:
    crate = (
        "LID = 1\n\n\ndef lid():\n    # <ex 1.4> the lid (1 line)\n    return 1\n    # </ex 1.4>\n"
    )
    (box.root / "minigrad" / "crate.py").write_text(crate, encoding="utf-8")
    box.cut()
    box.rewrite(FILE, (OPEN_1, "return 2 * self.x"))
    kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nimport minigrad.crate\nb = Box(3)")
    box.rewrite(FILE, ("return 2 * self.x", "return 9 * self.x"))
    box.rewrite("chapters/01_small/crate.py", ("LID = 1", "LID = 1 / 0"))
    assert "crate.py:2: ZeroDivisionError" in kernel.run("b.double()").error
    box.rewrite(FILE, ("return 9 * self.x", "return 2 * self.x"))
    box.rewrite("chapters/01_small/crate.py", ("LID = 1 / 0", "LID = 1"))
    assert kernel.value("b.double()") == "6"


def test_errors_name_the_learners_own_file_and_line(box: Any, kernel: Any) -> None:
    box.rewrite(FILE, (OPEN_1, "return 1 / self.x"))
    kernel.run(f"{LOAD}\nfrom minigrad.box import Box\nb = Box(0)")
    answer = kernel.run("b.double()")
    assert "ZeroDivisionError" in answer.error and "14 return 1 / self.x" in answer.error
    assert f"{FILE}:14" in answer.error and "build/trees" not in answer.error
    box.rewrite(FILE, ("1 / self.x", "2 / self.x"))
    assert "14 return 2 / self.x" in kernel.run("b.double()").error
