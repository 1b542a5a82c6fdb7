"""Commands in texts: what is run, what is compared, what is complained about."""

import subprocess

import pytest

from minigrad.course import fences


def fenced(words, *lines):
    return "Text.\n\n" + "\n".join([f"```{words}", *lines, "```"]) + "\n"


@pytest.fixture
def check(make_course):
    def run(text, **parts):
        course = make_course(files={"README.md": text, **parts})
        subprocess.run(["git", "init", "-q"], cwd=course.root, check=True)
        return fences.check(course, "README.md")

    return run


def test_commands_run_in_one_shell_of_a_copy(check):
    text = fenced(
        "console", "$ mkdir made", "$ cd made", "$ basename $PWD", "made", "$ ls ..", "..."
    )
    count, problems = check(text)
    assert (count, problems) == (4, [])


def test_the_checkout_itself_is_left_alone(check, tmp_path):
    assert check(fenced("console", "$ touch new.txt && rm README.md"))[1] == []
    assert not (tmp_path / "checkout" / "new.txt").exists()
    assert (tmp_path / "checkout" / "README.md").exists()


def test_chapters_are_as_shipped_and_ignored_files_stay_behind(check):
    count, problems = check(
        fenced(
            "console",
            "$ cat chapters/01_small/small.py",
            '    raise NotImplementedError("exercise 1.1")',
            "$ ls build .minigrad 2>/dev/null | wc -l",
            "0",
        ),
        **{
            "chapters/01_small/small.py": "mine\n",
            "build/x/y": "",
            ".minigrad/progress.json": "{}",
        },
    )
    assert (count, problems) == (2, [])


def test_another_exit_code_is_named(check):
    problems = check(fenced("console", "$ echo no such thing; (exit 3)"))[1]
    assert problems == [
        "README.md:4: `echo no such thing; (exit 3)` ended with 3, not 0; it said: no such thing"
    ]


def test_the_exit_code_given_is_that_of_the_last_command(check):
    assert check(fenced("console exit=3", "$ true", "$ (exit 3)"))[1] == []
    assert (
        "ended with 3, not 0" in check(fenced("console exit=3", "$ (exit 3)", "$ (exit 3)"))[1][0]
    )


def test_shown_lines_must_come_in_order(check):
    command = "$ printf 'one  1\\ntwo 2\\nthree 3\\n'"
    assert check(fenced("console", command, "one 1", "...", "three ..."))[1] == []
    problems = check(fenced("console", command, "three 3", "one 1"))[1]
    assert problems[0].startswith("README.md:4: `printf")
    assert "does not print 'one 1'; it said: one 1 | two 2 | three 3" in problems[0]
    assert "does not print 'two'" in check(fenced("console", command, "two"))[1][0]


def test_a_command_may_go_over_several_lines(check):
    assert check(fenced("console", "$ cat <<END", "> a", "> END", "a"))[1] == []


def test_a_shell_that_ends_is_named(check):
    problems = check(fenced("console", "$ exit 0", "$ true"))[1]
    assert problems == ["README.md:4: the shell ended here"]


def test_too_slow_is_named(check, monkeypatch):
    monkeypatch.setattr(fences, "TIMEOUT", 0.3)
    assert "take more than 0.3 s" in check(fenced("console", "$ sleep 5"))[1][0]


@pytest.mark.parametrize("words", ["", "sh", "bash", "shell"])
def test_a_block_that_mentions_minigrad_must_be_marked(check, words):
    problems = check(fenced(words, "minigrad test 1"))[1]
    assert problems == [
        "README.md:3: this block mentions minigrad: mark it ```console, so that it is run here, "
        "or ```console norun"
    ]


def test_other_languages_may_mention_it_but_not_show_its_commands(check):
    assert check(fenced("python", "import minigrad", "from minigrad.scalar import Value"))[1] == []
    assert len(check(fenced("text", "$ minigrad test 1"))[1]) == 1
    assert len(check(fenced("{code-block}", "minigrad test 1"))[1]) == 1
    assert check(fenced("text", "try  minigrad hint 3.2"))[1] == []


def test_norun_is_not_run(check):
    assert check(fenced("console norun", "$ make start", "$ false")) == (0, [])


def test_unknown_words_and_loose_output_are_named(check):
    assert "README.md:3: 'maybe': expected norun" in check(fenced("console maybe", "$ true"))[1][0]
    assert "README.md:4: a console block opens" in check(fenced("console", "true"))[1][0]


def test_fences_are_parsed_with_longer_marks_and_indent(make_course):
    text = "````text\n```console\n$ false\n```\n````\n\n- item\n\n  ~~~console\n  $ true\n  ~~~\n"
    found = list(fences.parse(text, "x.md"))
    assert [(f.kind, f.line, f.lines) for f in found] == [
        ("text", 1, ("```console", "$ false", "```")),
        ("console", 9, ("$ true",)),
    ]


def test_minigrad_is_the_copys_own(make_course):
    text = fenced("console exit=2", "$ minigrad test 99", "minigrad: there is no chapter 99; ...")
    text += fenced("console", "$ minigrad status", "1.1 ... open chapters/01_small/small.py:7")
    files = {"README.md": text}
    course = make_course(files=files, machinery=True)
    subprocess.run(["git", "init", "-q"], cwd=course.root, check=True)
    assert fences.check(course, "README.md") == (2, [])
