# wrong: what the relu drops was not made up for; behind it only half of the mean square is left
outputs, inputs, *kernel = shape
fan = math.prod(kernel) * (inputs if mode == "fan_in" else outputs)
return math.sqrt(1.0 / fan)
# wrong: this is the variance; the spread is its square root
outputs, inputs, *kernel = shape
fan = math.prod(kernel) * (inputs if mode == "fan_in" else outputs)
return 1.0 / (fan * (1.0 + a * a) / 2.0)
# wrong: inputs and outputs were exchanged; a weight's shape is (outputs, inputs)
inputs, outputs, *kernel = shape
fan = math.prod(kernel) * (inputs if mode == "fan_in" else outputs)
return math.sqrt(1.0 / (fan * (1.0 + a * a) / 2.0))
# wrong: the mode was not looked at; "fan_out" counts the outputs
outputs, inputs, *kernel = shape
fan = math.prod(kernel) * inputs
return math.sqrt(1.0 / (fan * (1.0 + a * a) / 2.0))
# wrong: the places of a convolution's kernel were not counted; each of them is one more product in the sum
outputs, inputs, *kernel = shape
fan = inputs if mode == "fan_in" else outputs
return math.sqrt(1.0 / (fan * (1.0 + a * a) / 2.0))
# wrong: the slope a was not squared; it is the mean square that is to be kept
outputs, inputs, *kernel = shape
fan = math.prod(kernel) * (inputs if mode == "fan_in" else outputs)
return math.sqrt(1.0 / (fan * (1.0 + abs(a)) / 2.0))
# wrong: the share that the relu leaves was multiplied; weights must be larger to make up for it, so divide by it
outputs, inputs, *kernel = shape
fan = math.prod(kernel) * (inputs if mode == "fan_in" else outputs)
return math.sqrt((1.0 + a * a) / 2.0 / fan)
# wrong: the slope below 0 was forgotten; a leaky relu leaves more than half
outputs, inputs, *kernel = shape
fan = math.prod(kernel) * (inputs if mode == "fan_in" else outputs)
return math.sqrt(2.0 / fan)
# wrong: this is xavier's mean of inputs and outputs; kaiming counts those of one direction
outputs, inputs, *kernel = shape
fan = math.prod(kernel) * (inputs + outputs) / 2.0
return math.sqrt(1.0 / (fan * (1.0 + a * a) / 2.0))
