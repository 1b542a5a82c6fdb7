# wrong: the slope is x * exp(x - 1), the rule for x ** p; in exp(x) it is the exponent that moves
return kernel("exp", x), lambda g, out: (g * x * exp(x - 1.0),)
# wrong: the slope alone was handed back; a vjp gives slope times g
return kernel("exp", x), lambda g, out: (out + 0.0 * g,)
# wrong: the slope is x instead of exp(x)
return kernel("exp", x), lambda g, out: (g * x,)
# wrong: g was divided by exp(x); that is how a gradient passes log, the inverse
return kernel("exp", x), lambda g, out: (g / out,)
# wrong: the vjp keeps the result from outside instead of the out it is handed; the tape would never be freed
result = kernel("exp", x)
return result, lambda g, out: (g * result,)
# wrong: x was cut off at 80 to avoid the overflow; a result too large for a float should be inf
x = where(x > 80.0, 80.0, x)
return kernel("exp", x), lambda g, out: (g * out,)
# wrong: this is exp(x) - 1; exp(0) is 1
return kernel("expm1", x), lambda g, out: (g * exp(x),)
