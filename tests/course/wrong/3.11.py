# wrong: a place that was read several times receives the mean of its parts; they add up
out = along(axis, "gather", x, indices, shape=indices.shape)
def vjp(g: Any, out: Any) -> Any:
    added = scatter_add(zeros(shape, g.dtype), indices, g, axis)
    times = scatter_add(zeros(shape, g.dtype), indices, g * 0.0 + 1.0, axis).numpy()
    return (added / asarray(np.maximum(times, 1.0)),)
return out, vjp
# wrong: of several parts for one place only the last was kept; they add up
out = along(axis, "gather", x, indices, shape=indices.shape)
def vjp(g: Any, out: Any) -> Any:
    kept = zeros(shape, g.dtype)
    np.put_along_axis(kept.numpy(), indices.numpy(), g.numpy(), axis)
    return (kept,)
return out, vjp
# wrong: the parts were added to x itself; a gradient starts from zeros
out = along(axis, "gather", x, indices, shape=indices.shape)
return out, lambda g, out: (scatter_add(x, indices, g, axis),)
# wrong: this moves the gradient forwards once more, by reading it; it must be added where the numbers were read
out = along(axis, "gather", x, indices, shape=indices.shape)
return out, lambda g, out: (gather(g, indices, axis),)
# wrong: reading and adding back go along the same axis, not always the last one
out = along(axis, "gather", x, indices, shape=indices.shape)
return out, lambda g, out: (scatter_add(zeros(shape, g.dtype), indices, g),)
