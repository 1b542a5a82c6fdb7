# wrong: the filters were turned over, as mathematicians do; here the first weight meets the first pixel of the window
product = weight[:, :, ::-1, ::-1].reshape(groups, len(weight) // groups, depth) @ columns
out[...] = batch_first(product.reshape(*maps_of_one, images))
# wrong: rows and columns of the filters are exchanged; in the columns a place is (i, j), row first, as in the weight
product = weight.swapaxes(2, 3).reshape(groups, len(weight) // groups, depth) @ columns
out[...] = batch_first(product.reshape(*maps_of_one, images))
# wrong: the channels of the filters were put last; in the columns they come first: channel, row, column
product = weight.transpose(0, 2, 3, 1).reshape(groups, len(weight) // groups, depth) @ columns
out[...] = batch_first(product.reshape(*maps_of_one, images))
# wrong: the filters were dealt out to the groups in turn; the first group has the first len(weight) // groups of them
dealt = weight.reshape(len(weight) // groups, groups, depth).swapaxes(0, 1)
product = (dealt @ columns).swapaxes(0, 1)
out[...] = batch_first(product.reshape(*maps_of_one, images))
# wrong: the images do not come first in the product; in the columns they lie side by side, as its last axis
product = weight.reshape(groups, len(weight) // groups, depth) @ columns
out[...] = product.reshape(out.shape)
# wrong: rows and columns of the maps are exchanged; the windows stand in the columns row by row
product = weight.reshape(groups, len(weight) // groups, depth) @ columns
filters, rows, cols = maps_of_one
out[...] = batch_first(product.reshape(filters, cols, rows, images)).swapaxes(2, 3)
# wrong: this gave the name out to a new array; the old one must be written to: out[...] =
product = weight.reshape(groups, len(weight) // groups, depth) @ columns
out = batch_first(product.reshape(*maps_of_one, images))
# wrong: the result was added to what stood in out; a kernel writes every element anew
product = weight.reshape(groups, len(weight) // groups, depth) @ columns
out += batch_first(product.reshape(*maps_of_one, images))
# wrong: every group saw the channels of the first one; each has columns of its own
product = weight.reshape(groups, len(weight) // groups, depth) @ columns[:1]
out[...] = batch_first(product.reshape(*maps_of_one, images))
