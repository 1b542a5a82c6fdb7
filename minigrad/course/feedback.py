"""Turns a failure, as the child recorded it, into what a teacher would say about it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minigrad.course import compiling, regions, trees, wrong
from minigrad.course.catalog import Exercise
from minigrad.course.runner import ExerciseResult, TestResult, Warm, request_for, results
from minigrad.course.workspace import Workspace

Failure = dict[str, Any]
Signatures = dict[str, tuple[str, ...] | None]
STACK_LINE = re.compile(r'^  File "(.+)", line (\d+) in (\S+)$', re.MULTILINE)
SIGNALS = {
    "SIGABRT": "the process was aborted (abort)",
    "SIGSEGV": "the process crashed (segmentation fault: memory that is not yours)",
    "SIGBUS": "the process crashed (bus error: memory that is not yours)",
    "SIGFPE": "the process crashed (an arithmetic error, such as a whole number divided by zero)",
    "SIGILL": "the process crashed (an instruction that this processor does not have)",
    "SIGKILL": "the process was killed, perhaps for memory",
}
IN_A_KERNEL = {
    "SIGSEGV": "crashed: it reads or writes memory that is not its own, or calls itself without "
    "end",
    "SIGABRT": "was aborted: by std::abort, a check of the library, or an exception that left a "
    "noexcept function",
}
PRINTED_LINES, WARNINGS = 6, 2


@dataclass(frozen=True)
class Advice:
    """A headline, and labelled lines below it."""

    headline: str
    lines: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """As a report prints it: labels in one column."""
        width = max((len(label) for label, _ in self.lines), default=0) + 2
        rows = [self.headline]
        for label, value in self.lines:
            first, *rest = value.split("\n")
            rows.append(f"  {label:<{width}}{first}")
            rows += [" " * (width + 2) + line for line in rest]
        return "\n".join(rows)


def advise(workspace: Workspace, tree: Path, exercise: Exercise, result: TestResult) -> Advice:
    """What to say about one failed test of `exercise` on `tree`; the misconception is found
    apart.
    """
    failure = result.failure or {}
    frames = failure.get("frames") or _stack(failure.get("stack", ""))
    native = compiling.is_native(exercise.source) and result.exercise
    # Python's frames end at the border; what lies behind it is the learner's file.
    file, line = workspace.location(exercise)
    place = f"{file}:{line}" if native else _place(tree, frames)
    lines: list[tuple[str, str]] = []
    if failure.get("inputs"):
        given = ", ".join(f"{name} = {value}" for name, value in failure["inputs"].items())
        lines.append(("inputs", given))
    if failure["kind"] == "mismatch":
        lines += _comparison(failure)
    else:
        if place:
            lines.append(("where", place))
        if failure.get("notes"):
            lines.append(("example", failure["notes"]))
    if native:
        found = compiling.warnings(workspace.course, tree, exercise)
        lines += [("warning", each) for each in found[:WARNINGS]]
    printed = "\n".join(failure.get("printed", "").strip().split("\n")[-PRINTED_LINES:])
    if printed:
        lines.append(("printed", printed))
    if result.exercise:
        lines.append(("test", _test_name(result.id)))
    # What stops before any test is no exercise's doing.
    whose = f"exercise {exercise.id}: " if result.exercise else ""
    said = (native and _of_kernel(failure)) or _headline(failure, result, place)
    return Advice(whose + said, tuple(lines))


def _comparison(failure: Failure) -> list[tuple[str, str]]:
    if (failure["got"], failure["expected"]) == ("no", "yes"):
        return [("note", failure["detail"])] if failure["detail"] else []
    detail = f" ({failure['detail']})" if failure["detail"] else ""
    return [("got", failure["got"]), ("expected", failure["expected"] + detail)]


def _headline(failure: Failure, result: TestResult, place: str | None) -> str:
    kind, what = failure["kind"], failure.get("type", "")
    text = failure.get("text", "")
    if kind == "mismatch":
        holds = (failure["got"], failure["expected"]) == ("no", "yes")
        subject = failure["what"].rstrip(".")
        return f"this should hold, but does not: {subject}." if holds else f"{subject} is wrong."
    if kind == "died":
        when = "while your files are imported: " if result.id == "import" else ""
        return when + _died(failure)
    if kind == "collection":
        error = re.sub(r" \(/[^()]*\)$", "", text)  # the place in the tree is not the learner's
        question = " Was it renamed or deleted?" if "ImportError" in error else ""
        return f"{result.id.split('/')[-1]} cannot start: {error}.{question}"
    if result.id == "import" and what == "NativeMissing":
        return str(text)
    if result.id == "import":
        where = place.split(" in ")[0] if place else "a file of yours"
        return f"{where} raises {what} while it is imported: {text or 'without a message'}."
    if kind == "assert":
        return f"a check failed: {text.split(chr(10))[0] or 'without a message'}"
    words = {
        "SystemExit": f"your code ended the program (sys.exit({text})).",
        "KeyboardInterrupt": "your code raised KeyboardInterrupt, which ends the program.",
        "EOFError": "your code reads from the keyboard (input), and a test has nobody to type.",
        "MemoryError": "your code asked for more memory than the 2 GiB that a test may have.",
        "RecursionError": "your code calls itself too deeply. Use a loop with a list of its own.",
    }
    return words.get(what, f"your code raised {what}: {text or 'without a message'}")


def _died(failure: Failure) -> str:
    limits = failure["limits"]
    if failure["overdue"]:
        limit = limits["wall"] or 30
        return f"not finished after {limit:g} s: it waits for something that never comes."
    if failure["signal"] == "SIGPROF":
        return f"stopped after {limits['cpu']:g} s of computing: a loop that does not end?"
    if failure["signal"]:
        words = SIGNALS.get(failure["signal"], f"the process ended with {failure['signal']}")
        return words + "."
    return f"the process ended itself with exit code {failure['code']} (os._exit?)."


def _of_kernel(failure: Failure) -> str | None:
    """What is said otherwise of a kernel in C++."""
    if failure["kind"] == "exception" and failure["type"] == "RuntimeError":
        return f"the kernel threw an exception: {failure['text'].split(': ', 1)[-1]}"
    if failure["kind"] != "died" or failure["overdue"]:
        return None
    if failure["signal"] in IN_A_KERNEL:
        return f"the kernel {IN_A_KERNEL[failure['signal']]} ({failure['signal']})."
    if failure["signal"] is None:
        return f"the kernel ended the process with exit code {failure['code']} (std::exit?)."
    return None


def _stack(stack: str) -> list[list[Any]]:
    """The frames of a fault handler's text, which stands with the latest call first."""
    found = [[name, int(line), function] for name, line, function in STACK_LINE.findall(stack)]
    return found[::-1]


def learners_place(tree: Path, frames: list[list[Any]]) -> str | None:
    """The deepest frame in the learner's files, "file:line in function"; None if there is none."""
    mine = [(trees.learner_line(tree, f[0], f[1] or 1), f[2]) for f in frames]
    for found, function in reversed(mine):
        if found:
            return f"{found[0]}:{found[1]} in {function}"
    return None


def _place(tree: Path, frames: list[list[Any]]) -> str | None:
    """The deepest frame in the learner's files, else in the tree."""
    mine = learners_place(tree, frames)
    if mine:
        return mine
    for name, line, function in reversed(frames):
        if Path(name).is_relative_to(tree) and "course" not in Path(name).relative_to(tree).parts:
            return f"{Path(name).relative_to(tree).as_posix()}:{line} in {function}"
    return None


def _test_name(node: str) -> str:
    return node.split("/")[-1]


def misconception(
    warm: Warm, workspace: Workspace, tree: Path, result: ExerciseResult
) -> str | None:
    """The line of the wrong body that fails as the learner's does, on all tests or on the first.

    If our own body gives the same, no body of this exercise is to blame, and that is the line.
    """
    exercise, first = result.exercise, result.failures[0]
    text = workspace.exercise_file(exercise).text
    theirs = {t.id: _signature(t.failure) for t in result.tests}
    if text is None or first.failure is None or first.failure["kind"] == "died":
        return None
    native = compiling.is_native(exercise.source)

    def spliced(body: str) -> str:
        return regions.fill(text, {exercise.id: body}, exercise.target)

    def signatures(body: str) -> Signatures:
        patched = {exercise.source: spliced(body)}
        try:
            request = request_for(workspace.course, tree, [exercise], patched=patched, quick=native)
        except compiling.Refused:  # among the learner's own functions ours may not fit
            return {}
        return {t.id: _signature(t.failure) for t in results(warm.run(request))}

    ours, bodies = exercise.region.body, wrong.bodies(workspace.course, exercise)
    if native:
        mine = workspace.body(exercise) or ""
        texts = [spliced(body) for body in (mine, ours, *(w.body for w in bodies))]
        compiling.ahead(workspace.course, tree, exercise.source, texts)
        # Compiled as those that it is compared with: rounding differs from one way to another.
        theirs = signatures(mine)
        if theirs.get(first.id) is None:
            return None
    if signatures(ours).get(first.id) == theirs[first.id]:
        return f"with our {exercise.id} it is the same: the mistake is in what {exercise.id} uses"
    found = [(signatures(w.body), w.misconception) for w in bodies]
    alike = [line for each, line in found if each == theirs]
    # Without more words, "no" is what every mistake gives.
    if not alike and (first.failure.get("got") != "no" or first.failure.get("detail")):
        alike = [line for each, line in found if each.get(first.id) == theirs[first.id]]
    return alike[0] if alike else None


def _signature(failure: Failure | None) -> tuple[str, ...] | None:
    """What two implementations with one mistake have in common on one test."""
    if failure is None:
        return None
    if failure["kind"] == "died":
        return ("died", str(failure["signal"]))
    if failure["kind"] == "mismatch":
        more = failure["detail"] if failure["got"] == "no" else ""
        return ("mismatch", failure["what"], failure["got"], more)
    return (failure["kind"], str(failure.get("type")), failure["text"])


def explain(
    warm: Warm, workspace: Workspace, tree: Path, result: ExerciseResult, *, mine: bool
) -> Advice | None:
    """The advice on an exercise that failed: its first failure in full, the others counted."""
    exercise = result.exercise
    if result.problem:
        return Advice(result.problem, ())
    if not result.failures:
        if result.state == "failed":
            text = f"only {len(result.tests)} of {result.expected} tests were run"
            return Advice(f"exercise {exercise.id}: {text}", ())
        return None
    first = result.failures[0]
    advice = advise(workspace, tree, exercise, first)
    lines = list(advice.lines)
    if mine and not result.stopped_before_tests:
        pattern = misconception(warm, workspace, tree, result)
        if pattern:
            lines.append(("pattern", pattern))
    more = len(result.failures) - 1
    if more:
        lines.append(("more", f"{more} further test{'s' * (more > 1)} of {exercise.id} failed"))
    if mine and first.exercise:
        lines.append(("try", f"minigrad hint {exercise.id}"))
    return Advice(advice.headline, tuple(lines))
