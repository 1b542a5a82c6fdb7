"""Watching: how soon after a save the tests run again."""

import os
import statistics
import time

import pytest

# A command that waits for ever must end the test, not the whole run.
pytestmark = pytest.mark.timeout(240)


def test_watch_runs_again_soon_after_each_save(scratch, record_property):
    """How long from a save to the start of the run; a figure, since time is the machine's."""
    scratch.minigrad("solve", "1")
    process = scratch.start("watch", "1.1")
    delays = []
    try:
        read_until(process, "watching")
        for number in range(10):
            file = scratch.file
            text = file.read_text().split("\n# save ")[0]
            draft = file.with_suffix(".draft")
            draft.write_text(f"{text}\n# save {number}\n")
            time.sleep(0.2)  # a late second run would be taken for this save's
            saved = time.monotonic()
            os.replace(draft, file)
            read_until(process, "running")
            delays.append(time.monotonic() - saved)
            assert " passed " in read_until(process, "watching")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
    assert len(delays) == 10
    median = statistics.median(delays)
    record_property("figure", f"watch: {median:.3f} s from saving to the run (median of ten)")


def read_until(process, word):
    lines = []
    while True:
        line = process.stdout.readline()
        assert line, "watch ended by itself: " + "".join(lines)
        lines.append(line)
        if line.startswith(word):
            return "".join(lines)
