# wrong: the shapes are lined up at their first axes; broadcasting lines them up at their last
new = []
for k, wanted in enumerate(target):
    known = k < len(shape) and shape[k] == wanted
    new.append(strides[k] if known else 0)
return tuple(new)
# wrong: an axis that grows from size 1 keeps its stride here, so each step reads another number
return (0,) * (len(target) - len(shape)) + tuple(strides)
# wrong: these are the strides of an array that holds every repeat: reading must stay in one place
new, step = [], 1
for size in reversed(target):
    new.append(step)
    step *= max(size, 1)
return tuple(reversed(new))
# wrong: to read the same number again the step is 0, not 1
new = [1] * (len(target) - len(shape))
for size, stride, wanted in zip(shape, strides, target[len(new) :], strict=True):
    new.append(stride if size == wanted else 1)
return tuple(new)
# wrong: the new axes stand in front of the old ones, not behind them
new = []
for size, stride, wanted in zip(shape, strides, target[len(target) - len(shape) :], strict=True):
    new.append(stride if size == wanted else 0)
return tuple(new) + (0,) * (len(target) - len(shape))
# wrong: a new axis repeats what is there, so its stride is 0 and not the size of the whole
whole = 1
for size in shape:
    whole *= size
new = [whole] * (len(target) - len(shape))
for size, stride, wanted in zip(shape, strides, target[len(new) :], strict=True):
    new.append(stride if size == wanted else 0)
return tuple(new)
# wrong: an axis that fits already keeps its stride, whatever it is; it need not be contiguous
new = [0] * (len(target) - len(shape))
step, fresh = 1, []
for size in reversed(shape):
    fresh.append(step)
    step *= max(size, 1)
for size, stride, wanted in zip(shape, reversed(fresh), target[len(new) :], strict=True):
    new.append(stride if size == wanted else 0)
return tuple(new)
