"""A save that fails, or is killed half-way, leaves the checkpoint before, and no litter."""

import errno
import functools
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad as mg
from minigrad import checkpoint, nn
from minigrad.course import files


def model(number):
    return nn.Linear(40, 30, generator=mg.Generator(number))


@pytest.fixture
def path(tmp_path):
    """A checkpoint of step 1."""
    found = tmp_path / "run"
    checkpoint.save(found, model(1), step=1)
    return found


def check_old(path):
    """The old checkpoint is there, whole, alone, and the next save succeeds."""
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    loaded = model(5)
    assert checkpoint.load_model(path, loaded).step == 1
    assert loaded.weight.tolist() == model(1).weight.tolist()
    checkpoint.save(path, model(2), step=2)
    assert checkpoint.peek(path).step == 2 and [p.name for p in path.parent.iterdir()] == ["run"]


@pytest.mark.parametrize("most", [0, 100, 3000])
def test_files_may_not_grow_as_large(path, most):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    assert most < path.stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        with pytest.raises(OSError, match=r"checkpoint\.save: File too large; the checkpoint") as e:
            checkpoint.save(path, model(2), step=2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert e.value.errno == errno.EFBIG and e.value.filename == str(path)
    check_old(path)


class Half:
    """A file that takes half of what it is given; then something happens."""

    def __init__(self, file, happens):
        self.file, self.happens = file, happens

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.file.close()

    def write(self, data):
        self.file.write(data[: len(data) // 2])
        self.file.flush()
        self.happens()


def fail(patch, call, happens):
    """Let it happen in one of the calls that a save makes; patch is setattr, or another."""
    if call == "write":
        opened = open
        patch(files, "open", lambda *given: Half(opened(*given), happens))
    else:
        patch(os, call, lambda *given: happens())


def full():
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_full_disk(path, monkeypatch, call):
    with monkeypatch.context() as patch:
        fail(functools.partial(patch.setattr, raising=False), call, full)
        with pytest.raises(OSError, match=r"checkpoint\.save: No space left") as raised:
            checkpoint.save(path, model(2), step=2)
    assert raised.value.errno == errno.ENOSPC
    check_old(path)


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_killed_while_saving(path, call):
    tree = Path(mg.__file__).parent.parent
    for _ in range(2):
        child = subprocess.run(
            [sys.executable, __file__, path, call], env={**os.environ, "PYTHONPATH": str(tree)}
        )
        assert child.returncode == -signal.SIGKILL
        left = [p for p in path.parent.iterdir() if p != path]
        assert len(left) == 1, "the second save has removed what the first one left"
        assert checkpoint.peek(path).step == 1
    checkpoint.save(path, model(1), step=1)
    check_old(path)


def test_what_looks_like_a_draft_stays(path):
    """Somebody else's files, and the draft of a process that is running; not that of one that
    cannot be.
    """
    path.with_name(f".run.{2**80}.draft").touch()
    kept = [
        f".run.{os.getppid()}.draft",
        ".run.old.draft",
        ".run.12",
        ".runs.999999.draft",
        "run.1",
    ]
    for name in kept:
        path.with_name(name).write_text("mine")
    checkpoint.save(path, model(2), step=2)
    assert {p.name for p in path.parent.iterdir()} == {"run", *kept}


def test_the_draft_of_another_user_stays(path, monkeypatch):
    draft = path.with_name(".run.1.draft")
    draft.touch()

    def refused(process, number):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "kill", refused)
    checkpoint.save(path, model(2), step=2)
    assert draft.exists() and checkpoint.peek(path).step == 2


def test_a_link_stays_a_link(path, tmp_path):
    link = tmp_path / "latest"
    link.symlink_to(path)
    checkpoint.save(link, model(2), step=2)
    assert link.is_symlink() and checkpoint.peek(path).step == 2


def test_it_is_on_the_disk_when_save_returns(path, monkeypatch):
    """The bytes before they get the name, the name before the call returns."""
    order, sync, replace = [], os.fsync, os.replace

    def synced(handle):
        order.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", lambda *given: order.append("name") or replace(*given))
    checkpoint.save(path, model(2), step=2)
    assert order == ["file", "name", "folder"]


def test_a_file_system_that_cannot_sync_folders(path, monkeypatch):
    sync = os.fsync

    def refused(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        sync(handle)

    monkeypatch.setattr(os, "fsync", refused)
    checkpoint.save(path, model(2), step=2)
    assert checkpoint.peek(path).step == 2


if __name__ == "__main__":  # test_killed_while_saving's child
    fail(setattr, sys.argv[2], lambda: os.kill(os.getpid(), signal.SIGKILL))
    checkpoint.save(sys.argv[1], model(3), step=3)
