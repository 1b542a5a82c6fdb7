# wrong: the norms stand behind the sums, as in the first transformers; here each part gets a normed x, and x goes on as it is
x = self.norm1(x + self.dropout(self.self_attn(x, None, None, mask, causal, cache)))
return self.norm2(x + self.dropout(self.mlp(x)))
# wrong: the same norm stood before both parts; the MLP has its own, norm2
x = x + self.dropout(self.self_attn(self.norm1(x), None, None, mask, causal, cache))
return x + self.dropout(self.mlp(self.norm1(x)))
# wrong: it was added to the normed x; x itself goes on, and only what the parts look at is normed
x = self.norm1(x)
x = x + self.dropout(self.self_attn(x, None, None, mask, causal, cache))
x = self.norm2(x)
return x + self.dropout(self.mlp(x))
# wrong: the MLP got x without its norm; norm2 stands before it
x = x + self.dropout(self.self_attn(self.norm1(x), None, None, mask, causal, cache))
return x + self.dropout(self.mlp(x))
# wrong: the MLP looked at the first x, beside attention; it comes after it, and looks at the sum
y = x + self.dropout(self.self_attn(self.norm1(x), None, None, mask, causal, cache))
return y + self.dropout(self.mlp(self.norm2(x)))
# wrong: at the end the first x was added; what goes on is the sum behind attention
y = x + self.dropout(self.self_attn(self.norm1(x), None, None, mask, causal, cache))
return x + self.dropout(self.mlp(self.norm2(y)))
# wrong: attention replaced x; what it finds is added to x
x = self.dropout(self.self_attn(self.norm1(x), None, None, mask, causal, cache))
return x + self.dropout(self.mlp(self.norm2(x)))
# wrong: dropout was forgotten; what each part adds goes through it
x = x + self.self_attn(self.norm1(x), None, None, mask, causal, cache)
return x + self.mlp(self.norm2(x))
# wrong: dropout was forgotten behind attention; what each part adds goes through it
x = x + self.self_attn(self.norm1(x), None, None, mask, causal, cache)
return x + self.dropout(self.mlp(self.norm2(x)))
# wrong: dropout was forgotten behind the MLP; what each part adds goes through it
x = x + self.dropout(self.self_attn(self.norm1(x), None, None, mask, causal, cache))
return x + self.mlp(self.norm2(x))
# wrong: the sum was dropped out, and x with it; only what is added goes through dropout
x = self.dropout(x + self.self_attn(self.norm1(x), None, None, mask, causal, cache))
return self.dropout(x + self.mlp(self.norm2(x)))
# wrong: mask, causal and cache were not handed on to attention
x = x + self.dropout(self.self_attn(self.norm1(x)))
return x + self.dropout(self.mlp(self.norm2(x)))
