"""The both-way rule: no test passes on untouched stubs, every test passes on the reference, and
none needs an exercise that comes later.

Without it an exercise may ship solved, a test may look at nothing, and a learner may be stopped by
something they have not been asked for yet.
"""

import ast
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from minigrad.course import compiling, marks, regions, trees, wrong
from minigrad.course.catalog import Chapter, Course, Exercise
from minigrad.course.rejected import LEAST
from minigrad.course.runner import TestResult, Warm, request_for
from minigrad.course.workers import Job, Seen, Workers, ask

HINTS = 3


def structure(course: Course) -> list[str]:
    """What is missing or misnamed, a sentence each; found in the texts, nothing is run."""
    found = []
    for chapter in course.chapters:
        manifest = f"chapters/{chapter.name}/chapter.toml"
        if not chapter.exercises:
            found.append(f"{manifest}: no source holds an exercise of this chapter")
        for e in chapter.exercises:
            hints = [h for h in e.hints if h.strip()]
            if len(hints) != HINTS:
                found.append(f"{manifest}: exercise {e.id} has {len(hints)} hints, not {HINTS}")
            count = len(wrong.bodies(course, e))
            if count < LEAST:
                found.append(
                    f"{wrong.path_of(e)}: exercise {e.id} has {count} wrong bodies; "
                    f"at least {LEAST} must be there"
                )
    found += [f"{place}: {problem}" for place, problem in _marker_problems(course)]
    for folder, kind in (("wrong", "wrong bodies"), ("records", "a record")):
        for path in sorted((course.root / "tests" / "course" / folder).glob("*.*")):
            if path.stem not in course.exercises:
                name = path.relative_to(course.root).as_posix()
                found.append(f"{name}: {kind} of exercise {path.stem}, which does not exist")
    return found


def _marker_problems(course: Course) -> Iterator[tuple[str, str]]:
    tested: set[str] = set()
    for folder in sorted((course.root / "tests").iterdir()):
        if not folder.is_dir() or not marks.CHAPTER_FOLDER.match(folder.name):
            continue
        chapter = next((c for c in course.chapters if c.name == folder.name), None)
        if chapter is None:
            yield f"tests/{folder.name}", "there is no such chapter"
            continue
        ids = {e.id for e in chapter.exercises}
        for path in sorted(folder.rglob("test_*.py")):
            for place, exercise in _marked(path, path.relative_to(course.root).as_posix()):
                if exercise is None:
                    yield (
                        place,
                        f'this test names no exercise: @pytest.mark.exercise("{chapter.number}.k")',
                    )
                elif exercise not in ids:
                    yield place, f"this test names exercise {exercise}, which {chapter.name} lacks"
                else:
                    tested.add(exercise)
    for chapter in course.chapters:
        for e in chapter.exercises:
            if e.id not in tested:
                yield f"tests/{chapter.name}", f"exercise {e.id} has no test"


def _marked(path: Path, name: str) -> Iterator[tuple[str, str | None]]:
    """(file:line, exercise) of each test in a file; None for the exercise if it names none."""
    module = ast.parse(path.read_text(encoding="utf-8"), name)
    outer = None
    for node in module.body:
        if isinstance(node, ast.Assign) and "pytestmark" in map(ast.unparse, node.targets):
            value = node.value
            outer = _exercise(value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value])
    yield from _tests(module.body, outer, name)


def _tests(body: list[ast.stmt], outer: str | None, name: str) -> Iterator[tuple[str, str | None]]:
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _tests(node.body, _exercise(node.decorator_list) or outer, name)
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield f"{name}:{node.lineno}", _exercise(node.decorator_list) or outer


def _exercise(decorators: list[ast.expr]) -> str | None:
    for each in decorators:
        if not isinstance(each, ast.Call) or ast.unparse(each.func) != "pytest.mark.exercise":
            continue
        if len(each.args) == 1 and isinstance(each.args[0], ast.Constant):
            return str(each.args[0].value)
    return None


def run(course: Course, workers: int | Workers = 2, seen: Seen | None = None) -> list[str]:
    """Run every chapter on its stubs, on the reference, and solved up to each of its exercises."""
    if isinstance(workers, int):
        with Workers(workers) as made:
            return run(course, made, seen)
    tree = trees.reference(course).path
    jobs = []
    for chapter in course.chapters:
        jobs.append(partial(_stubs, course, tree, chapter))
        jobs.append(partial(_reference, course, tree, chapter))
        jobs += [partial(_upto, course, tree, chapter, e) for e in chapter.exercises[:-1]]
    answers = workers.map([partial(_told, job) for job in jobs], seen)
    return [problem for found in answers for problem in found]


def _told(job: Job[list[str]], warm: Warm) -> list[str]:
    try:
        return job(warm)
    except compiling.Refused as error:
        return [str(error)]


def solved(course: Course, chapter: Chapter, ids: set[str]) -> dict[str, str]:
    """The chapter's sources with `ids` solved and all else as shipped, as request_for takes it."""
    starts = {e.id: e.start for e in chapter.exercises if e.id not in ids}
    return {
        source: regions.fill(course.sources[source], starts, source)
        for source in chapter.files.values()
    }


def _stubs(course: Course, tree: Path, chapter: Chapter, warm: Warm) -> list[str]:
    request = request_for(course, tree, chapter.exercises, patched=solved(course, chapter, set()))
    found = []
    for test in ask(warm, request):
        if test.outcome == "passed":
            found.append(f"{test.id}: passes on the untouched stub of exercise {test.exercise}")
        elif test.exercise is None:
            found.append(f"the untouched stubs of {chapter.name} cannot be tested: {_why(test)}")
    return found


def _reference(course: Course, tree: Path, chapter: Chapter, warm: Warm) -> list[str]:
    return [
        f"{test.id}: does not pass on the reference: {_why(test)}"
        for test in ask(warm, request_for(course, tree, chapter.exercises))
        if test.outcome != "passed"
    ]


def _upto(
    course: Course, tree: Path, chapter: Chapter, exercise: Exercise, warm: Warm
) -> list[str]:
    """The tests of one exercise with it and all before it solved. A test that passes here also
    passes with more of the chapter solved.
    """
    done = {e.id for e in chapter.exercises[: chapter.exercises.index(exercise) + 1]}
    patched = solved(course, chapter, done)
    found = []
    for test in ask(warm, request_for(course, tree, [exercise], patched=patched)):
        if test.outcome == "waits":
            found.append(
                f"{test.id}: a test of exercise {exercise.id} waits for {test.waits_for}, "
                "which comes later"
            )
        elif test.outcome != "passed":
            found.append(
                f"{test.id}: fails with exercises up to {exercise.id} solved and the later ones "
                f"open: {_why(test)}"
            )
    return found


def _why(test: TestResult) -> str:
    if test.outcome == "waits":
        return f"it waits for exercise {test.waits_for}"
    failure = test.failure or {}
    if failure.get("kind") == "mismatch":
        return f"{failure['what']}: got {failure['got']}, expected {failure['expected']}"
    if failure.get("kind") == "died":
        return f"the process ended ({failure['signal'] or failure['code']})"
    lines = str(failure.get("text", "")).strip().split("\n")
    return f"{failure.get('type', 'failure')}: {lines[0]}"
