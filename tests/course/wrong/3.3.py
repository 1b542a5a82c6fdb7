# wrong: each factor receives its own number; x * y rises with x as steeply as y is large
return kernel("mul", x, y), lambda g, out: (g * x, g * y)
# wrong: these are the slopes of x + y; a product rises with x by y, not by 1
return kernel("mul", x, y), lambda g, out: (g, g)
# wrong: the slopes alone were handed back; a vjp gives slope times g
return kernel("mul", x, y), lambda g, out: (y + 0.0 * g, x + 0.0 * g)
# wrong: the product was used as the slope; along x it is what x is multiplied by
return kernel("mul", x, y), lambda g, out: (g * out, g * out)
# wrong: y was taken for a constant; it may be an array that has a gradient of its own
return kernel("mul", x, y), lambda g, out: (g * y, None)
# wrong: the gradient was divided by the factor; it has to be multiplied
return kernel("mul", x, y), lambda g, out: (g / y, g / x)
