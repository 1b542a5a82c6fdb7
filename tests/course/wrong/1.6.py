# wrong: exp(-x) was cut off to avoid the overflow; sigmoid(-1000) should be 0 and sigmoid(-100) right
out = 1.0 / (1.0 + math.exp(min(-self.data, 30.0)))
return Value(out, (self,), (out * (1.0 - out),), "sigmoid")
# wrong: the sign: this is 1 / (1 + exp(x)), which falls where sigmoid rises
tail = math.exp(-abs(self.data))
out = tail / (1.0 + tail) if self.data > 0.0 else 1.0 / (1.0 + tail)
return Value(out, (self,), (out * (1.0 - out),), "sigmoid")
# wrong: the slope is s * (1 - s) with s the result, not with x
tail = math.exp(-abs(self.data))
out = 1.0 / (1.0 + tail) if self.data > 0.0 else tail / (1.0 + tail)
return Value(out, (self,), (self.data * (1.0 - self.data),), "sigmoid")
# wrong: 1 - s * s is the slope of tanh; that of sigmoid is s * (1 - s)
tail = math.exp(-abs(self.data))
out = 1.0 / (1.0 + tail) if self.data > 0.0 else tail / (1.0 + tail)
return Value(out, (self,), (1.0 - out * out,), "sigmoid")
# wrong: one formula for both sides forgets the sign of x: sigmoid(-2) is not sigmoid(2)
out = 1.0 / (1.0 + math.exp(-abs(self.data)))
return Value(out, (self,), (out * (1.0 - out),), "sigmoid")
# wrong: 1 - sigmoid(-x) loses all digits for x far below zero: sigmoid(-100) is about 4e-44, not 0
tail = math.exp(-abs(self.data))
out = 1.0 / (1.0 + tail) if self.data > 0.0 else 1.0 - 1.0 / (1.0 + tail)
return Value(out, (self,), (out * (1.0 - out),), "sigmoid")
