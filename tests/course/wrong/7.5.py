# wrong: dealt out like cards, every num_heads-th number to one head; a head has a run of neighbours
out = x @ self.in_proj_weight[rows].mT
out = out if self.in_proj_bias is None else out + self.in_proj_bias[rows]
out = out.reshape(batch, tokens, width // self.num_heads, self.num_heads)
return out.permute_dims(0, 3, 1, 2)
# wrong: reshaped without exchanging axes, which mixes tokens; cut each token into heads, then move their axis forward
out = x @ self.in_proj_weight[rows].mT
out = out if self.in_proj_bias is None else out + self.in_proj_bias[rows]
return out.reshape(batch, self.num_heads, tokens, width // self.num_heads)
# wrong: the bias was forgotten; it is added wherever there is one
out = x @ self.in_proj_weight[rows].mT
out = out.reshape(batch, tokens, self.num_heads, width // self.num_heads)
return out.permute_dims(0, 2, 1, 3)
# wrong: the weight was not transposed; a row of it makes one number: x @ weight.mT
out = x @ self.in_proj_weight[rows]
out = out if self.in_proj_bias is None else out + self.in_proj_bias[rows]
out = out.reshape(batch, tokens, self.num_heads, width // self.num_heads)
return out.permute_dims(0, 2, 1, 3)
# wrong: queries, keys and values all came from the first rows; each part has its own: in_proj_weight[rows]
out = x @ self.in_proj_weight[:width].mT
out = out if self.in_proj_bias is None else out + self.in_proj_bias[:width]
out = out.reshape(batch, tokens, self.num_heads, width // self.num_heads)
return out.permute_dims(0, 2, 1, 3)
# wrong: every third row of the weight; the rows of queries, keys and values stand one below the other
out = x @ self.in_proj_weight[part::3].mT
out = out if self.in_proj_bias is None else out + self.in_proj_bias[part::3]
out = out.reshape(batch, tokens, self.num_heads, width // self.num_heads)
return out.permute_dims(0, 2, 1, 3)
# wrong: the weight's rows are those of the part, the bias is not; both have a run of their own
out = x @ self.in_proj_weight[rows].mT
out = out if self.in_proj_bias is None else out + self.in_proj_bias[:width]
out = out.reshape(batch, tokens, self.num_heads, width // self.num_heads)
return out.permute_dims(0, 2, 1, 3)
# wrong: the tokens themselves were dealt out; each part has a weight that makes its numbers of them
out = x.reshape(batch, tokens, self.num_heads, width // self.num_heads)
return out.permute_dims(0, 2, 1, 3)
# wrong: the bias was added before the weight; it comes on top of the product
out = x if self.in_proj_bias is None else x + self.in_proj_bias[rows]
out = (out @ self.in_proj_weight[rows].mT).reshape(batch, tokens, self.num_heads, -1)
return out.permute_dims(0, 2, 1, 3)
