# wrong: as if each probability depended on its own score alone; raising one score also lowers all others
out = along(axis, "softmax", x, shape=x.shape)
return out, lambda g, out: (g * out,)
# wrong: this is sigmoid's slope; it leaves out how a score moves the other probabilities of its row
out = along(axis, "softmax", x, shape=x.shape)
return out, lambda g, out: (g * out * (1.0 - out),)
# wrong: what is taken off is the sum of g weighed with the probabilities, not the plain sum of g
out = along(axis, "softmax", x, shape=x.shape)
return out, lambda g, out: (out * (g - sum(g, axis, keepdims=True)),)
# wrong: the sum runs over all rows; each row has its own
out = along(axis, "softmax", x, shape=x.shape)
return out, lambda g, out: (out * (g - sum(g * out)),)
# wrong: the gradient of log_softmax; softmax has its own slope, the probability, in front
out = along(axis, "softmax", x, shape=x.shape)
return out, lambda g, out: (g - out * sum(g, axis, keepdims=True),)
# wrong: the vjp keeps the result from outside instead of the out it is handed; the tape would never be freed
kept = along(axis, "softmax", x, shape=x.shape)
return kept, lambda g, out: (kept * (g - sum(g * kept, axis, keepdims=True)),)
