"""`minigrad check`: each check is seen red, and green again once what it named is mended."""

import json
import subprocess

import pytest

from minigrad.course import check, cut, records, score
from minigrad.course.catalog import Course
from minigrad.course.records import RecordError
from minigrad.course.score import EquivalentError
from minigrad.course.workspace import Workspace

SOURCE = '''"""Numbers."""


def double(x):
    """Twice x."""
    # <ex 1.1> twice the number (1 line)
    return 2 * x
    # </ex 1.1>
'''
STRONG = """import pytest

from minigrad.course import expect
from minigrad.small import double


@pytest.mark.exercise("1.1")
def test_double():
    for x in (1.0, 3.0):
        expect.close(double(x), x + x, what="double", inputs={"x": x})
"""
WEAK = STRONG.replace("(1.0, 3.0)", "(1.0,)")
WRONG = "".join(f"# wrong: one adds {n}\nreturn x + {n}.0\n" for n in (2, 3, 4))
TESTS, ANSWERS = "tests/01_small/test_small.py", "tests/course/wrong/1.1.py"
SURVIVORS = ["line 1: 2 * x -> 2 / x", "line 1: 2 * x -> 2"]  # at 1 they are the same


def git(course, *arguments):
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *settings, *arguments], cwd=course.root, check=True)


def commit(course):
    git(course, "add", "-A")
    git(course, "commit", "-q", "-m", "state")


@pytest.fixture
def course(make_course):
    files = {TESTS: STRONG, ANSWERS: WRONG}
    made = make_course(sources={"minigrad/small.py": SOURCE}, files=files, machinery=True)
    cut.write(Workspace(made))
    git(made, "init", "-q")
    commit(made)
    return made


@pytest.fixture
def run(course, capsys):
    """Check the course as it is on disk now; (exit code, the check's entry)."""

    def check_one(name):
        code = check.run(Course(course.root), only=name, json=True, seed=7)
        printed = json.loads(capsys.readouterr().out)
        assert (printed["schema"], printed["ok"], printed["seed"]) == (1, code == 0, 7)
        (entry,) = printed["checks"]
        assert entry["ok"] == (code == 0) == (not entry["problems"])
        return code, entry

    return check_one


def rewrite(course, name, text):
    (course.root / name).write_text(text, encoding="utf-8")


def record(course):
    return json.loads((course.root / records.FOLDER / "1.1.json").read_text(encoding="utf-8"))


def test_records_are_made_then_must_be_committed_then_are_current(course, run):
    code, entry = run("records")
    assert entry["problems"] == ["tests/course/records/1.1.json: not what is committed; commit it"]
    assert entry["summary"].startswith("0 current, 1 stale and made anew")
    commit(course)
    code, entry = run("records")
    assert (code, entry["summary"]) == (
        0,
        "1 current, 0 stale and made anew; tried again (seed 7): 1.1",
    )


def test_records_are_the_same_bytes_each_time(course, run):
    run("records")
    path = course.root / records.FOLDER / "1.1.json"
    first = path.read_bytes()
    path.unlink()
    run("records")
    assert path.read_bytes() == first
    assert record(course)["mutants"]["survivors"] == []
    assert record(course)["wrong"][0] == {"misconception": "one adds 2", "failed": 1, "tests": 1}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("minigrad/small.py", SOURCE.replace("2 * x", "x + x")),
        ("minigrad/small.py", SOURCE + "\nOTHER = 1\n"),
        (TESTS, STRONG + "# more\n"),
        (ANSWERS, WRONG + "# wrong: one takes away\nreturn x - 9.0\n"),
    ],
)
def test_a_change_makes_the_record_stale(course, name, text):
    exercise = course.exercise("1.1")
    before = records.fingerprint(course, exercise)
    rewrite(course, name, text)
    after = Course(course.root)
    assert records.fingerprint(after, after.exercise("1.1")) != before
    assert records.fingerprint(course, exercise) == records.fingerprint(course, exercise)


def test_a_task_in_other_words_leaves_the_record_current(course):
    before = records.fingerprint(course, course.exercise("1.1"))
    rewrite(
        course, "minigrad/small.py", SOURCE.replace("twice the number", "two times") + "\n# x\n"
    )
    after = Course(course.root)
    assert records.fingerprint(after, after.exercise("1.1")) == before


def test_a_record_that_a_rerun_contradicts_is_named(course, run):
    run("records")
    data = record(course)
    data["mutants"]["survivors"], data["mutants"]["killed"] = ["line 1: a -> b"], 0
    rewrite(course, f"{records.FOLDER}/1.1.json", json.dumps(data, indent=1) + "\n")
    commit(course)
    code, entry = run("records")
    assert (code, len(entry["problems"])) == (1, 1)
    assert "1.1: a rerun gives another record" in entry["problems"][0]
    assert "line 1: a -> b" in entry["problems"][0]


def test_an_unreadable_record_is_named(course):
    path = records.path_of(course, course.exercise("1.1"))
    path.parent.mkdir()
    path.write_text('{"schema": 1}', encoding="utf-8")
    with pytest.raises(RecordError, match=r"^tests/course/records/1.1.json is no record"):
        score.scores(course)


def test_survivors_are_listed_and_a_low_score_is_red(course, run):
    rewrite(course, TESTS, WEAK)
    code, entry = run("mutants")
    assert entry["notes"] == [f"survives: 1.1 {each}" for each in SURVIVORS]
    assert "mutants noticed (75.0%), 0 equivalent; at least 95% must be" in entry["problems"][0]
    rewrite(course, TESTS, STRONG)
    code, entry = run("mutants")
    assert (code, entry["notes"]) == (0, [])


def equivalent(course, *descriptions, reason="it is the same"):
    entries = [
        f'[[mutant]]\nid = "1.1"\ndescription = "{d}"\nreason = "{reason}"\n' for d in descriptions
    ]
    rewrite(course, score.EQUIVALENTS, "\n".join(entries))


def test_equivalents_count_against_their_budget(course, run):
    rewrite(course, TESTS, WEAK)
    equivalent(course, *SURVIVORS)
    _, entry = run("mutants")
    assert entry["problems"] == [
        "01_small: 2 of 8 mutants are listed as equivalent; at most 5% may be"
    ]
    assert (entry["notes"], entry["summary"]) == (
        [],
        "01_small: 6 of 6 mutants noticed (100.0%), 2 equivalent",
    )


def test_an_equivalent_that_no_longer_survives_is_stale(course, run):
    equivalent(course, SURVIVORS[0])
    _, entry = run("mutants")
    assert entry["problems"] == [
        f"tests/course/equivalent.toml: 1.1 {SURVIVORS[0]!r} is no survivor; remove the entry"
    ]


def test_an_equivalent_needs_a_reason(course):
    equivalent(course, SURVIVORS[0], reason=" ")
    with pytest.raises(EquivalentError, match="no reason"):
        score.equivalents(course)
    rewrite(course, score.EQUIVALENTS, '[[mutant]]\nid = "1.1"\n')
    with pytest.raises(EquivalentError, match="has id, description and reason"):
        score.equivalents(course)


def test_a_wrong_body_that_passes_is_red(course, run):
    rewrite(course, ANSWERS, WRONG + "# wrong: a sum\nreturn x + x\n")
    _, entry = run("wrong")
    assert entry["problems"] == ['1.1: the wrong body "a sum" passes all 1 tests']
    assert entry["summary"] == "3 of 4 rejected"


def test_both_way_is_red_and_green(course, run):
    assert run("both-way")[0] == 0
    rewrite(course, TESTS, STRONG + "\n\ndef test_loose():\n    assert double\n")
    code, entry = run("both-way")
    assert (code, len(entry["problems"])) == (1, 1)
    assert "this test names no exercise" in entry["problems"][0]


def test_drift_is_red_and_green(course, run):
    assert run("drift")[0] == 0
    rewrite(course, "minigrad/small.py", SOURCE.replace("Numbers", "More numbers"))
    commit(course)
    code, entry = run("drift")
    assert code == 1
    assert any(p.startswith("chapters/01_small/small.py: ") for p in entry["problems"])
    cut.write(Workspace(Course(course.root)))
    commit(course)
    assert run("drift")[0] == 0


def test_a_broken_source_is_a_problem_not_a_traceback(course, run):
    rewrite(course, "minigrad/small.py", SOURCE.replace("# </ex 1.1>", ""))
    for name in ("both-way", "records", "mutants"):
        code, entry = run(name)
        assert (code, entry["summary"]) == (1, "could not be run")
        assert "exercise 1.1 is never closed" in entry["problems"][0]


def test_commands_sizes_style_and_types(course, run):
    rewrite(course, "README.md", "```console\n$ false\n```\n")
    assert "`false` ended with 1" in run("commands")[1]["problems"][0]
    rewrite(course, "minigrad/long.py", "x = 1\n" * 300)
    assert "minigrad/long.py has 300 lines" in run("sizes")[1]["problems"][0]
    rewrite(course, "minigrad/long.py", "import os\nx = undefined\n")
    assert any("F401" in p for p in run("style")[1]["problems"])
    rewrite(course, "pyproject.toml", '[tool.mypy]\nfiles = ["minigrad/long.py"]\n')
    assert any("undefined" in p for p in run("types")[1]["problems"])


def test_an_unknown_check_is_a_usage_error_that_lists_them(course):
    with pytest.raises(LookupError, match="no check 'speed'; there are: drift, both-way, records"):
        check.run(course, only="speed")


def test_the_report_has_a_line_a_check_failures_and_a_verdict(course, monkeypatch, capsys):
    fine = check.Found("two files", [])
    bad = check.Found("one file", ["x.py:3: this is wrong"], ["good to know"])
    monkeypatch.setattr(check, "NAMES", {"first": lambda _: fine, "second": lambda _: bad})
    assert check.run(course) == 1
    lines = capsys.readouterr().out.split("\n")
    assert lines[0].startswith("first     ok        0.0 s   two files")
    assert lines[1].startswith("second    failed    0.0 s   one file")
    assert lines[2:] == [
        "",
        "second:",
        "  x.py:3: this is wrong",
        "  good to know",
        "",
        "check: 1 of 2 checks failed: second",
        "",
    ]
    monkeypatch.setattr(check, "NAMES", {"first": lambda _: fine})
    assert check.run(course) == 0
    assert capsys.readouterr().out.endswith("\ncheck: 1 check ok\n")


def test_mutants_prints_scores_and_writes_records(course, capsys):
    rewrite(course, TESTS, WEAK)
    rewrite(course, ANSWERS, WRONG + "# wrong: a square\nreturn x * x + x\n")
    again = Course(course.root)
    assert score.main(again, list(again.exercises.values())) == 1
    printed = capsys.readouterr().out
    assert "1.1      6 of 8 noticed\n" in printed
    assert f"        survives: {SURVIVORS[0]}\n" in printed
    assert "01_small: 6 of 8 mutants noticed (75.0%), 0 equivalent\n" in printed
    assert 'problem: 1.1: the wrong body "a square" passes all 1 tests\n' in printed
    assert record(course)["mutants"]["survivors"] == SURVIVORS
    assert score.main(again, list(again.exercises.values()), json=True) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["exercises"] == [{"id": "1.1", "mutants": 8, "survivors": SURVIVORS}]
