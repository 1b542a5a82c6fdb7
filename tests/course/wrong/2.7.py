# wrong: these strides suit a contiguous array alone; the array may have steps of its own
return contiguous_strides(target)
# wrong: more can be done without a copy: axes need not be contiguous, only split or melted evenly
return contiguous_strides(target) if is_contiguous(shape, strides) else None
# wrong: what has even steps all along is one run whatever its step: it need not be copied
runs: list[tuple[int, int]] = []
for size, stride in zip(shape, strides, strict=True):
    if runs and runs[-1][1] == size * stride and stride == 1:
        runs[-1] = (runs[-1][0] * size, stride)
    elif size > 1:
        runs.append((size, stride))
new, left, step = [], 1, 1
for wanted in reversed(target):
    if left == 1 and wanted > 1:
        left, step = runs.pop()
    if left % wanted:
        return None
    new.append(step)
    left //= wanted
    step *= wanted
return tuple(reversed(new))
# wrong: the last axis's stride does not hold for all: each run of axes has a step of its own
new, step = [], strides[-1] if strides else 1
for wanted in reversed(target):
    new.append(step)
    step *= wanted
return tuple(reversed(new))
# wrong: two axes melt only if the first steps as far as the second is long; these had a gap
runs = []
for size, stride in zip(shape, strides, strict=True):
    if runs and runs[-1][1] >= size * stride > 0:
        runs[-1] = (runs[-1][0] * size, stride)
    elif size > 1:
        runs.append((size, stride))
new, left, step = [], 1, 1
for wanted in reversed(target):
    if left == 1 and wanted > 1:
        left, step = runs.pop()
    if left % wanted:
        return None
    new.append(step)
    left //= wanted
    step *= wanted
return tuple(reversed(new))
# wrong: within a run the steps grow: each new axis steps over those behind it
runs = []
for size, stride in zip(shape, strides, strict=True):
    if runs and runs[-1][1] == size * stride:
        runs[-1] = (runs[-1][0] * size, stride)
    elif size > 1:
        runs.append((size, stride))
new, left, step = [], 1, 1
for wanted in reversed(target):
    if left == 1 and wanted > 1:
        left, step = runs.pop()
    if left % wanted:
        return None
    new.append(step)
    left //= wanted
return tuple(reversed(new))
# wrong: nobody steps along an axis of size 1, so its stride must not keep others apart
runs = []
for size, stride in zip(shape, strides, strict=True):
    if runs and runs[-1][1] == size * stride:
        runs[-1] = (runs[-1][0] * size, stride)
    else:
        runs.append((size, stride))
new, left, step = [], 1, 1
for wanted in reversed(target):
    while left == 1 and wanted > 1:
        left, step = runs.pop()
    if left % wanted:
        return None
    new.append(step)
    left //= wanted
    step *= wanted
return tuple(reversed(new))
