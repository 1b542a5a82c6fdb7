"""How `minigrad train` starts a training: products of matrices on one thread, unless told."""

import os
from pathlib import Path

import pytest

from minigrad.course import milestones
from minigrad.course.catalog import Course
from minigrad.course.workspace import Workspace

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("named, threads", [(None, "1"), ("2", "2")])
def test_one_thread_unless_the_environment_names_a_number(monkeypatch, tmp_path, named, threads):
    started = {}

    def caught(program, command, environment):
        started.update(environment)

    monkeypatch.setattr(os, "execve", caught)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    if named:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", named)
    monkeypatch.setenv("KEPT", "yes")
    milestones.run(Workspace(Course(CHECKOUT)), "iris", {}, out=tmp_path)
    assert started["OPENBLAS_NUM_THREADS"] == threads
    assert (started["OMP_NUM_THREADS"], started["KEPT"]) == ("1", "yes")
