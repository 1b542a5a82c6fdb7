"""Benchmarks that cannot lie: nothing is timed that is not right, and nothing that was timed counts
unless it was right as well.

limits      what this machine can do at most, measured in the same run
workload    what is computed, as data; workloads the list; exact the judge that says what is right
ours        the kernels of the table; baselines, baselines_torch what they are measured against
harness     rounds: fresh numbers, poisoned memory, the clock, the check
refusals    every reason for which a time does not count, each a sentence
turns       two threads: processes that take turns
results     ratios and gates; report, pictures and ladder show them; command is what is typed
"""
