# wrong: each factor is given its own number as slope; a * b rises with a as steeply as b is large
return Value(self.data * other.data, (self, other), (self.data, other.data), "*")
# wrong: these are the slopes of a + b; a product rises with a by b, not by 1
return Value(self.data * other.data, (self, other), (1.0, 1.0), "*")
# wrong: both slopes are the product itself; the slope along a is what a is multiplied by
out = self.data * other.data
return Value(out, (self, other), (out, out), "*")
# wrong: the right factor was taken for a constant; it may be a Value with a gradient of its own
return Value(self.data * other.data, (self, other), (other.data, 0.0), "*")
# wrong: the parents and the slopes stand in different orders; slope k belongs to parent k
return Value(self.data * other.data, (other, self), (other.data, self.data), "*")
