"""A file of kernels is compiled alone, loaded beside ours, and never taken for an older one."""

import os
import threading
import time

import numpy as np
import pytest

from minigrad import kernels, native
from minigrad.dtypes import float32
from minigrad.kernels import KernelMissing, Key, build, loading, table, tested

FILE = """#include "minigrad/kernel.h"
namespace {
using namespace minigrad;
void add(View x, View y, Out out) {
    for (std::int64_t i = 0; i < out.size(); ++i)
        out.as<float>()[i] = x.as<float>()[i] + 1 * y.as<float>()[i];
}
const Register<op::add> entry("cpp", 1, set_of(DType::float32), add);
}
"""
ADD = Key("add", "cpp", 1, "mine")
X, Y = np.float32([1, 2, 4]), np.float32([8, 16, 32])


@pytest.fixture(autouse=True)
def own_table(monkeypatch):
    try:
        native.load()
    except native.NativeMissing as error:
        pytest.skip(f"not verified: {error}")
    kept = {name: dict(getattr(table, name)) for name in ("_table", "_places", "_newest")}
    for name, value in kept.items():
        monkeypatch.setattr(table, name, value)
    monkeypatch.setattr(tested, "_files", None)
    monkeypatch.setattr(tested, "_places", [])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a folder, with (signs)" / "1_mine.cpp"
    path.parent.mkdir()
    path.write_text(FILE)
    return path


def result(kernel):
    out = np.zeros(3, np.float32)
    kernel(X, Y, out)
    return out.tolist()


def built(path, folder, **more):
    root = native.checkout()
    return build.library(path, loading.isa(), root / loading.HEADERS, folder, **more)


def refused(path, text):
    path.write_text(text)
    with pytest.raises(build.CompileError) as caught:
        built(path, path.parent / "built")
    return caught.value


def test_a_file_is_entered_beside_ours(file):
    loading.load_built()
    assert kernels.load(file) == [ADD]
    for owner in ("ref", "mine"):
        kernel = kernels.lookup("add", backend="cpp", step=1, owner=owner)
        assert result(kernel) == [9, 18, 36], owner
    assert table.place_of(ADD) == str(file)


def test_an_edit_of_one_length_in_one_second_is_seen(file):
    times = os.stat(file)
    for factor, expected in ((2, [17, 34, 68]), (3, [25, 50, 100]), (1, [9, 18, 36])):
        file.write_text(FILE.replace("1 * y", f"{factor} * y"))
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        kernels.load(file)
        assert result(kernels.lookup("add", backend="cpp", owner="mine")) == expected


def test_what_the_file_no_longer_has_is_gone(file):
    kernels.load(file)
    file.write_text(FILE.replace("op::add", "op::sub"))
    assert kernels.load(file) == [Key("sub", "cpp", 1, "mine")]
    with pytest.raises(KernelMissing):
        kernels.lookup("add", backend="cpp", owner="mine")


def test_a_file_that_does_not_compile_leaves_what_was_there(file):
    kernels.load(file)
    file.write_text("int\n")
    with pytest.raises(build.CompileError):
        kernels.load(file)
    assert result(kernels.lookup("add", backend="cpp", owner="mine")) == [9, 18, 36]


def test_the_same_file_again_is_not_compiled_again(file, tmp_path, monkeypatch):
    first = built(file, tmp_path / "built")

    def run(*_, **__):
        raise AssertionError("the compiler was started")

    monkeypatch.setattr(build.subprocess, "run", run)
    assert built(file, tmp_path / "built") == first
    with pytest.raises(AssertionError, match="was started"):
        built(file, tmp_path / "built", extra=("-O1",))
    with pytest.raises(AssertionError, match="was started"):
        built(file, tmp_path / "built", text=FILE + "\n")


def test_a_changed_header_is_another_library(file, tmp_path):
    include = tmp_path / "include"
    (include / "minigrad").mkdir(parents=True)
    for header in (native.checkout() / loading.HEADERS / "minigrad").iterdir():
        (include / "minigrad" / header.name).write_bytes(header.read_bytes())
    made = [build.library(file, loading.isa(), include, tmp_path / "built")]
    with open(include / "minigrad" / "view.h", "a") as handle:
        handle.write("// changed\n")
    made.append(build.library(file, loading.isa(), include, tmp_path / "built"))
    assert made[0] != made[1]


def test_text_stands_in_for_the_file(file, tmp_path):
    library = built(file, tmp_path / "built", text=FILE.replace("1 * y", "2 * y"))
    loading.load_library(library, "mine", "elsewhere")
    assert result(table.kernel(ADD)) == [17, 34, 68]
    assert table.place_of(ADD) == "elsewhere"


def test_two_that_want_the_same_build_it_once(file, tmp_path, monkeypatch):
    started = []
    run = build.subprocess.run

    def counted(command, **options):
        started.append(command)
        return run(command, **options)

    build.compiler()
    monkeypatch.setattr(build.subprocess, "run", counted)
    found = []
    both = [
        threading.Thread(target=lambda: found.append(built(file, tmp_path / "built")))
        for _ in range(2)
    ]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert len(started) == 1
    assert found[0] == found[1] and found[0].is_file()
    assert {p.suffix for p in (tmp_path / "built").iterdir()} == {".so", ".txt", ".lock"}


def test_what_nobody_asks_for_is_deleted_in_time(file, tmp_path):
    folder = tmp_path / "built"
    old, used = built(file, folder), built(file, folder, text=FILE + "// used\n")
    long_ago = time.time() - build.KEPT - 60
    for path in (old, used):
        os.utime(path, (long_ago, long_ago))
    built(file, folder, text=FILE + "// used\n")  # asked for again
    built(file, folder, text=FILE + "// new\n")
    assert used.is_file()
    assert not old.is_file()


def test_an_error_is_told_in_the_compilers_words_and_in_english(file, monkeypatch):
    run, spoken = build.subprocess.run, []

    def asked(command, **options):
        spoken.append(options["env"]["LC_ALL"])
        return run(command, **options)

    build.compiler()
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setattr(build.subprocess, "run", asked)
    error = refused(file, FILE.replace("1 * y", "1 * z"))
    assert spoken == ["C"]
    assert error.line == 6
    assert error.words.startswith("1_mine.cpp:6:")
    assert "error: " in error.words and "z" in error.words
    assert str(error) == f"1_mine.cpp does not compile:\n{error.words}"


def test_an_error_in_a_header_is_one_of_the_line_that_led_there(file):
    error = refused(file, FILE.replace("op::add>", "op::neg>"))
    assert error.line == 8
    assert str(native.checkout()) not in error.words


def test_what_is_declared_and_never_defined_is_refused_too(file):
    text = FILE.replace("void add(", "float more(float x);\nvoid add(").replace(
        "1 * y", "more(1) * y"
    )
    error = refused(file, text)
    assert "undefined reference" in error.words and "more(float)" in error.words
    assert "/tmp" not in error.words and "ld:" not in error.words


def test_many_errors_fit_on_a_screen(file):
    error = refused(file, FILE + "".join(f"int a = b{k};\n" for k in range(60)))
    assert error.words.count("\n") <= build.SHOWN
    assert error.words.splitlines()[-1].startswith("... and ")


def test_a_compiler_that_never_ends_is_stopped(file, monkeypatch):
    build.compiler()
    monkeypatch.setattr(build, "TIMEOUT", 0.01)
    error = refused(file, FILE)
    assert "no answer within" in error.words and error.line is None
    assert not list((file.parent / "built").glob("*.tmp"))


def test_without_a_compiler_the_sentence_says_what_to_do(file, monkeypatch):
    build.compiler.cache_clear()
    monkeypatch.setattr(build.toolchain, "find_compiler", lambda: (None, "none found"))
    try:
        with pytest.raises(build.CompilerMissing, match=r"none found.*part II needs one"):
            built(file, file.parent / "built")
    finally:
        build.compiler.cache_clear()


@pytest.mark.parametrize(
    ("name", "owner", "words"), [("a.txt", "mine", "written in .cpp"), ("a.cpp", "yours", "belong")]
)
def test_other_files_and_owners_are_refused(tmp_path, name, owner, words):
    with pytest.raises(ValueError, match=words):
        kernels.load(tmp_path / name, owner)


def put(*files):
    tested.put_under_test(lambda: [(place, path) for place, path in files])


def test_under_test_is_what_the_file_has_and_nothing_else(file, tmp_path):
    loading.load_built()
    add = kernels.under_test("add", step=1)
    with pytest.raises(KernelMissing, match="what is under test: no file"):
        add(X, Y, np.zeros(3, np.float32))
    other = tmp_path / "2_other.cpp"
    other.write_text(FILE.replace('"cpp", 1', '"cpp", 2'))
    kernels.load(other)  # the learner's, but not under test
    put(("chapters/1_mine.cpp", built(file, tmp_path / "built")))
    assert result(add) == [9, 18, 36]
    loading.load_library(built(other, tmp_path / "built"), "ref", "chapters/1_mine.cpp")
    assert result(kernels.under_test("add")) == [9, 18, 36]
    with pytest.raises(KernelMissing):
        result(kernels.under_test("add", step=2))
    assert table.place_of(ADD) == "chapters/1_mine.cpp"
    for missing in (kernels.under_test("add", step=2), kernels.under_test("mul", step=1)):
        with pytest.raises(KernelMissing, match=r"what is under test: chapters/1_mine.cpp\."):
            result(missing)


def test_under_test_is_never_an_older_one(file, tmp_path):
    add = kernels.under_test("add", step=1)
    for factor, expected in ((1, [9, 18, 36]), (2, [17, 34, 68])):
        text = FILE.replace("1 * y", f"{factor} * y")
        put(("chapters/1_mine.cpp", built(file, tmp_path / "built", text=text)))
        assert result(add) == expected
        out = np.zeros(3, np.float32)
        add.bind(X, Y, out)()
        assert out.tolist() == expected
        assert add.types == add.kernel.types != 0


def test_under_test_compiles_only_when_it_is_asked(file):
    asked = []

    def files():
        asked.append(1)
        return [("chapters/1_mine.cpp", built(file, file.parent / "built"))]

    tested.put_under_test(files)
    add = kernels.under_test("add")
    assert not asked
    assert result(add) == result(add) == [9, 18, 36]
    assert len(asked) == 1


def test_on_the_learners_kernels_runs_what_is_under_test(file, tmp_path):
    put(("chapters/1_mine.cpp", built(file, tmp_path / "built")))
    with kernels.use("cpp", mine=True) as used:
        result(used.kernel("add", "numpy", float32))
    assert dict(used.ran) == {ADD: 1}
    with kernels.use("cpp") as used:
        used.kernel("add", "numpy", float32)
    assert ADD not in used.ran


def test_a_file_that_enters_nothing_is_told(file):
    file.write_text('#include "minigrad/kernel.h"\n')
    with pytest.raises(ValueError, match="it compiles, but enters no kernel; see Register"):
        kernels.load(file)
