# wrong: the new part overwrites what has already arrived; a node used twice needs both parts
for parent, slope in zip(self.parents, self.slopes):
    parent.grad = slope * self.grad
# wrong: the slope is added without this node's own gradient; the chain rule multiplies the two
for parent, slope in zip(self.parents, self.slopes):
    parent.grad += slope
# wrong: this node's gradient is handed on as it is; it has to be multiplied by the slope
for parent, slope in zip(self.parents, self.slopes):
    parent.grad += self.grad
# wrong: the parent's number was taken for the slope; the slopes are in self.slopes
for parent in self.parents:
    parent.grad += parent.data * self.grad
# wrong: a parent that stands there twice was served once; a * a sends back twice
for parent, slope in dict(zip(self.parents, self.slopes)).items():
    parent.grad += slope * self.grad
# wrong: only the first parent was served
if self.parents:
    self.parents[0].grad += self.slopes[0] * self.grad
