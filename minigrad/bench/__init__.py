"""Benchmarks that cannot lie: nothing is timed that is not right, and nothing that was timed counts
unless it was right as well.

limits      what this machine can do at most, measured in the same run
workload    what is computed: shapes, operations, bytes, who computes it, gates
harness     rounds: fresh numbers, poisoned memory, the clock, the check
refusals    every reason for which a time does not count, each a sentence
report      the table, the pictures and the JSON
"""
