# wrong: the factor p is missing; the slope of x ** p along x is p * x ** (p - 1)
out = power(x, p)
along_base = power(x, p - 1.0) if p != 0.0 else 0.0
along_exponent = out * math.log(x) if x > 0.0 else math.nan if x != 0.0 else 0.0
return Value(out, (self, other), (along_base, along_exponent), "**")
# wrong: the exponent did not go down by one; the slope of x ** p along x is p * x ** (p - 1)
out = power(x, p)
along_exponent = out * math.log(x) if x > 0.0 else math.nan if x != 0.0 else 0.0
return Value(out, (self, other), (p * out, along_exponent), "**")
# wrong: the exponent was taken for a constant; x ** p also rises with p, by x ** p * log(x)
out = power(x, p)
return Value(out, (self, other), (p * power(x, p - 1.0) if p != 0.0 else 0.0, 0.0), "**")
# wrong: the slope along the exponent lost its factor log(x); only e ** p is its own slope
out = power(x, p)
along_base = p * power(x, p - 1.0) if p != 0.0 else 0.0
along_exponent = out if x > 0.0 else math.nan if x != 0.0 else 0.0
return Value(out, (self, other), (along_base, along_exponent), "**")
# wrong: the two slopes changed places; the first belongs to the base
out = power(x, p)
along_base = p * power(x, p - 1.0) if p != 0.0 else 0.0
along_exponent = out * math.log(x) if x > 0.0 else math.nan if x != 0.0 else 0.0
return Value(out, (self, other), (along_exponent, along_base), "**")
# wrong: where p is 0 the slope came out as NaN: 0 * inf at x = 0; x ** 0 is 1 everywhere, so it is flat
out = power(x, p)
along_exponent = out * math.log(x) if x > 0.0 else math.nan if x != 0.0 else 0.0
return Value(out, (self, other), (p * power(x, p - 1.0), along_exponent), "**")
# wrong: log(abs(x)) gives a number for a base below 0, but there x ** p has no slope along p: NaN
out = power(x, p)
along_base = p * power(x, p - 1.0) if p != 0.0 else 0.0
along_exponent = out * math.log(abs(x)) if x != 0.0 else 0.0
return Value(out, (self, other), (along_base, along_exponent), "**")
