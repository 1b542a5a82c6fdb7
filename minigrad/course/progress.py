"""What a learner has reached, in .minigrad/progress.json.

"Passed" is said of a fingerprint (body, skeleton, the chapter's tests), never of an exercise as
such: when any of them changes, the record is stale.
"""

import json
import os
from dataclasses import asdict, dataclass, replace

from minigrad.course import files
from minigrad.course.catalog import Exercise
from minigrad.course.workspace import Workspace

BACKENDS = {".py": "python", ".cpp": "cpp"}
OPEN, WAITING, FAILED, PASSED, STALE = "open", "waiting", "failed", "passed", "stale"


@dataclass(frozen=True)
class Record:
    """The last run of one exercise. `backends` names what verified it: "python" or "cpp"."""

    fingerprint: str = ""
    state: str = OPEN
    waits_for: str | None = None
    backends: tuple[str, ...] = ()
    revealed: bool = False
    hints: int = 0


class Progress:
    """The records of one workspace; each change is on disk when its call returns."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.path = workspace.state_dir / "progress.json"

    def _load(self) -> dict[str, Record]:
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            return {
                name: Record(**{**entry, "backends": tuple(entry["backends"])})
                for name, entry in data["exercises"].items()
            }
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError, AttributeError):
            # Kept, so that nothing is lost; what it said can be had again by running the tests.
            os.replace(self.path, self.path.with_suffix(".unreadable.json"))
            return {}

    def record(self, exercise: Exercise) -> Record:
        return self._load().get(exercise.id, Record())

    def _change(self, exercise: Exercise, **changes: object) -> None:
        records = self._load()
        records[exercise.id] = replace(records.get(exercise.id, Record()), **changes)  # type: ignore[arg-type]
        data = {"schema": 1, "exercises": {name: asdict(r) for name, r in records.items()}}
        files.replace(self.path, (json.dumps(data, indent=1) + "\n").encode())

    def note(self, exercise: Exercise, state: str, waits_for: str | None = None) -> None:
        """Remember how a run of this exercise, as it stands now, ended."""
        self._change(
            exercise,
            fingerprint=self.workspace.fingerprint(exercise),
            state=state,
            waits_for=waits_for,
            backends=(BACKENDS[exercise.suffix],) if state == PASSED else (),
        )

    def reveal(self, exercise: Exercise) -> None:
        """Our body was shown: said of the exercise from now on."""
        self._change(exercise, revealed=True)

    def hinted(self, exercise: Exercise, count: int) -> None:
        """So many hints have been shown."""
        self._change(exercise, hints=count)

    def state(self, exercise: Exercise) -> str:
        """open (by text), failed (the file cannot be used), or what the last run of this very text
        said.
        """
        if self.workspace.is_open(exercise):
            return OPEN
        if self.workspace.problem(exercise):
            return FAILED
        record = self.record(exercise)
        return record.state if record.fingerprint == self.workspace.fingerprint(exercise) else STALE
