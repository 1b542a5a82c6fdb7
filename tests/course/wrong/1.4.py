# wrong: the slope is x * exp(x - 1), the rule for x ** p; in exp(x) it is the exponent that moves
try:
    out = math.exp(self.data)
    slope = self.data * math.exp(self.data - 1.0)
except OverflowError:
    out = slope = math.inf
return Value(out, (self,), (slope,), "exp")
# wrong: the slope is x instead of exp(x)
try:
    out = math.exp(self.data)
except OverflowError:
    out = math.inf
return Value(out, (self,), (self.data,), "exp")
# wrong: the slope is 1, which is true at x = 0 only
try:
    out = math.exp(self.data)
except OverflowError:
    out = math.inf
return Value(out, (self,), (1.0,), "exp")
# wrong: x was cut off at 709 to avoid the overflow; a result too large for a float should be inf
out = math.exp(min(self.data, 709.0))
return Value(out, (self,), (out,), "exp")
# wrong: 2.718281828 is e to ten digits only; math.exp keeps all sixteen
out = power(2.718281828, self.data)
return Value(out, (self,), (out,), "exp")
# wrong: a comparison sends NaN to inf; what is not a number should stay that way, as math.exp has it
out = math.exp(self.data) if self.data < 709.0 else math.inf
return Value(out, (self,), (out,), "exp")
