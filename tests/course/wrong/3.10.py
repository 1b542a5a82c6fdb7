# wrong: minus the probability of the target; the loss is minus its logarithm
def slope() -> Any:
    right = one_hot(target.squeeze(-1), classes, logits.dtype)
    wanted = (1.0 - smooth) * right + smooth / classes
    return softmax(logits) - wanted

logp = softmax(array_of(logits))
rows = -kernel("gather", logp, target, shape=target.shape)
if smooth > 0.0:
    rows = (1.0 - smooth) * rows - smooth * mean(logp, axis=-1, keepdims=True)
# wrong: the slope is the other way round; going against it would make the loss larger
def slope() -> Any:
    right = one_hot(target.squeeze(-1), classes, logits.dtype)
    wanted = (1.0 - smooth) * right + smooth / classes
    return wanted - softmax(logits)

logp = log_softmax(array_of(logits))
rows = -kernel("gather", logp, target, shape=target.shape)
if smooth > 0.0:
    rows = (1.0 - smooth) * rows - smooth * mean(logp, axis=-1, keepdims=True)
# wrong: what was wanted was not taken off; the slope must be 0 where softmax says exactly that
def slope() -> Any:
    return softmax(logits)

logp = log_softmax(array_of(logits))
rows = -kernel("gather", logp, target, shape=target.shape)
if smooth > 0.0:
    rows = (1.0 - smooth) * rows - smooth * mean(logp, axis=-1, keepdims=True)
# wrong: the scores themselves are no probabilities; softmax stands between them and what was wanted
def slope() -> Any:
    right = one_hot(target.squeeze(-1), classes, logits.dtype)
    wanted = (1.0 - smooth) * right + smooth / classes
    return logits - wanted

logp = log_softmax(array_of(logits))
rows = -kernel("gather", logp, target, shape=target.shape)
if smooth > 0.0:
    rows = (1.0 - smooth) * rows - smooth * mean(logp, axis=-1, keepdims=True)
# wrong: the loss was smoothed, its slope was not; both must speak of the same wanted probabilities
def slope() -> Any:
    return softmax(logits) - one_hot(target.squeeze(-1), classes, logits.dtype)

logp = log_softmax(array_of(logits))
rows = -kernel("gather", logp, target, shape=target.shape)
if smooth > 0.0:
    rows = (1.0 - smooth) * rows - smooth * mean(logp, axis=-1, keepdims=True)
# wrong: the smoothing was added on top; what all classes are given is taken from the target: 1 - s remains
def slope() -> Any:
    return softmax(logits) - one_hot(target.squeeze(-1), classes, logits.dtype) - smooth / classes

logp = log_softmax(array_of(logits))
rows = -kernel("gather", logp, target, shape=target.shape)
if smooth > 0.0:
    rows = rows - smooth * mean(logp, axis=-1, keepdims=True)
