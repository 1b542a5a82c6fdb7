# wrong: the gradient was split between the two; each raises the sum by all of its own rise, so each receives all of g
return kernel("add", x, y), lambda g, out: (0.5 * g, 0.5 * g)
# wrong: this is the rule of a difference: y is added here, so its gradient has the sign of g
return kernel("add", x, y), lambda g, out: (g, -g)
# wrong: each receives its own number; the slope of a sum along x is 1, whatever x is
return kernel("add", x, y), lambda g, out: (x, y)
# wrong: the slopes alone were handed back; a vjp gives slope times g
return kernel("add", x, y), lambda g, out: (1.0 + 0.0 * g, 1.0 + 0.0 * g)
# wrong: y was taken for a constant; it may be an array that has a gradient of its own
return kernel("add", x, y), lambda g, out: (g, None)
# wrong: this is the product; the kernel of the sum is "add"
return kernel("mul", x, y), lambda g, out: (g, g)
# wrong: this is the rule of a product, where each slope is the other's number; in a sum both slopes are 1
return kernel("add", x, y), lambda g, out: (y * g, x * g)
