"""The few things the course asks of git."""

import os
import subprocess
from pathlib import Path

TIMEOUT = 300  # seconds; a network that does not answer must not hang the command for ever
# A hook that calls us sets these for its own repository.
ELSEWHERE = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"}


class GitError(RuntimeError):
    """A git command failed; the message is git's own, `text` all that it said."""

    def __init__(self, text: str) -> None:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        told = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines[-1:]
        super().__init__(told[0].split(": ", 1)[-1] if told else "git failed")
        self.text = text


def run(root: Path, *arguments: str, env: dict[str, str] | None = None) -> bytes:
    """What `git ARGUMENTS` prints when run at `root`; a GitError if it fails or is not there."""
    clean = {k: v for k, v in os.environ.items() if k not in ELSEWHERE}
    clean |= {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "LC_ALL": "C", **(env or {})}
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=root,
            env=clean,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git {arguments[0]} did not end within {TIMEOUT} s") from None
    if done.returncode:
        raise GitError((done.stdout + done.stderr).decode("utf-8", "replace"))
    return done.stdout


def ask(root: Path, *arguments: str) -> str | None:
    """What git prints, stripped, or None if it says no."""
    try:
        return run(root, *arguments).decode("utf-8", "replace").strip()
    except GitError:
        return None


def names(root: Path, *arguments: str) -> list[str]:
    """The paths that a git command prints; it is given -z."""
    printed = run(root, arguments[0], "-z", *arguments[1:]).decode("utf-8", "surrogateescape")
    return [name for name in printed.split("\0") if name]


def has_commit(root: Path) -> bool:
    """`root` is the top of a git checkout that has a commit."""
    top = ask(root, "rev-parse", "--show-toplevel")
    if top is None or Path(top).resolve() != root.resolve():
        return False
    return has(root, "HEAD^{commit}")


def has(root: Path, name: str) -> bool:
    """git knows a commit under this name, such as MERGE_HEAD while a merge is under way."""
    return ask(root, "rev-parse", "-q", "--verify", name) is not None


def blob(root: Path, name: str, commit: str = "HEAD") -> bytes | None:
    """A file as committed, or None."""
    try:
        return run(root, "cat-file", "blob", f"{commit}:{name}")
    except GitError:
        return None


def identity(root: Path) -> dict[str, str]:
    """What to add to the environment of a merge: nothing, or the last author if git knows none."""
    if ask(root, "var", "GIT_COMMITTER_IDENT") is not None:
        return {}
    name, mail = run(root, "log", "-1", "--format=%an%n%ae").decode().splitlines()
    author = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail}
    return author | {"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": mail}


def export(root: Path, folder: Path, commit: str = "HEAD") -> None:
    """Write all files of a commit below `folder`; the checkout's own index is left alone."""
    index = folder / ".index"
    env = {"GIT_INDEX_FILE": str(index)}
    run(root, "read-tree", commit, env=env)
    run(root, "checkout-index", "--all", f"--prefix={folder}/", env=env)
    index.unlink()
