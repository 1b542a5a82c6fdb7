# cut from minigrad/nn/multihead.py
"""Attention in several heads: each has its own queries, keys and values, and looks elsewhere."""

from typing import Any

from minigrad.api import cat, empty, rotary, scaled_dot_product_attention, zeros
from minigrad.dtypes import float32
from minigrad.nn.dropout import Dropout
from minigrad.nn.init import xavier_uniform_, zeros_
from minigrad.nn.inputs import shape_of
from minigrad.nn.linear import Linear
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.random import Generator, generator_or_default
from minigrad.sizes import whole


class KVCache:
    """Keys and values of the tokens so far, (batch, heads, tokens, size) each, for one layer.

    What was computed for a token stays: the next one needs its own alone.
    """

    def __init__(self) -> None:
        self.keys: Any = None
        self.values: Any = None

    def __len__(self) -> int:
        """How many tokens it holds."""
        return 0 if self.keys is None else int(self.keys.shape[-2])

    def extend(self, keys: Any, values: Any) -> tuple[Any, Any]:
        """Add those of new tokens; gives all. Raises ValueError if they are of other sequences."""
        if self.keys is not None:
            held, given = self.keys.shape, keys.shape
            if (*held[:2], held[3]) != (*given[:2], given[3]):
                raise ValueError(
                    f"KVCache: holds keys of shape {held}, and {given} are of other sequences; a "
                    "cache is for one layer and one batch."
                )
            keys = cat([self.keys, keys], -2)
            values = cat([self.values, values], -2)
        self.keys, self.values = keys, values
        return keys, values


class MultiheadAttention(Module):
    """query (batch, tokens, embed_dim) -> the same shape; key and value (batch, others, embed_dim)
    are the query's own if left out.

    Parameters and their names are PyTorch's, with batch_first: in_proj_weight (3 * embed_dim,
    embed_dim), in_proj_bias, and out_proj. Unlike there, the result comes alone, without the
    weights, and a mask of bools is True where a query may look, as everywhere in minigrad.

    mask, causal: as in scaled_dot_product_attention, for scores (batch, heads, tokens, others)
    cache: a KVCache of this layer; the tokens given are those that follow what it holds
    rotary: whether queries and keys are turned by their places (minigrad.rotary)
    dropout: the share of attention's weights that is dropped in training; generator: where its
    chance, and the first weights, come from
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        device: object = None,
        dtype: object = float32,
        *,
        rotary: bool = False,
        generator: Generator | None = None,
    ) -> None:
        generator_or_default("MultiheadAttention", generator)
        self.embed_dim = whole("MultiheadAttention", "embed_dim", embed_dim)
        self.num_heads = whole("MultiheadAttention", "num_heads", num_heads)
        if self.embed_dim % self.num_heads:
            raise ValueError(
                f"MultiheadAttention: {self.num_heads} heads do not divide embed_dim "
                f"{self.embed_dim}; each head has embed_dim / num_heads numbers."
            )
        if rotary and self.embed_dim // self.num_heads % 2:
            raise ValueError(
                f"MultiheadAttention: with rotary, the {self.embed_dim // self.num_heads} numbers "
                "of a head are turned in pairs; their count must be even."
            )
        self.rotary = rotary
        self.dropout, self.generator = Dropout(dropout).p, generator
        rows = 3 * self.embed_dim
        self.in_proj_weight = Parameter(empty((rows, self.embed_dim), dtype, device))
        self.in_proj_bias = Parameter(zeros(rows, dtype, device)) if bias else None
        size = self.embed_dim
        self.out_proj = Linear(size, size, bias, device, dtype, generator=generator)
        xavier_uniform_(self.in_proj_weight, generator=generator)
        if bias:
            zeros_(self.out_proj.bias)

    def forward(
        self,
        query: Any,
        key: Any = None,
        value: Any = None,
        mask: Any = None,
        causal: bool = False,
        cache: KVCache | None = None,
    ) -> Any:
        key = query if key is None else key
        value = key if value is None else value
        for x in (query, key, value):
            check_tokens(x, self.embed_dim)
        q, k, v = (self.heads(x, part) for part, x in enumerate((query, key, value)))
        if self.rotary:
            before = 0 if cache is None else len(cache)
            q, k = rotary(q, before), rotary(k, before)
        if cache is not None:
            k, v = cache.extend(k, v)
        share = self.dropout if self.training else 0.0
        found = scaled_dot_product_attention(q, k, v, mask, causal, share, generator=self.generator)
        return self.out_proj(joined(found))

    def heads(self, x: Any, part: int) -> Any:
        """The queries (part 0), keys (1) or values (2) of each head, (batch, heads, tokens, size).

        x (batch, tokens, heads * size). Head h has the h-th run of `size` numbers of each token.
        """
        rows = slice(part * self.embed_dim, (part + 1) * self.embed_dim)
        batch, tokens, width = x.shape
        # <ex 7.5> the numbers by the weight's rows, plus the bias, dealt out to the heads (4 lines)
        raise NotImplementedError("exercise 7.5")
        # </ex 7.5>

    def extra_repr(self) -> str:
        return f"{self.embed_dim}, num_heads={self.num_heads}, dropout={self.dropout:g}"


def joined(x: Any) -> Any:
    """(batch, heads, tokens, size) -> (batch, tokens, heads * size)."""
    batch, heads, tokens, size = x.shape
    return x.permute_dims(0, 2, 1, 3).reshape(batch, tokens, heads * size)


def check_tokens(x: Any, size: int) -> None:
    """Raise ValueError unless x is a batch of tokens of this size."""
    shape = shape_of("MultiheadAttention", x)
    if len(shape) != 3 or shape[-1] != size:
        raise ValueError(
            f"MultiheadAttention: expected tensors of shape (batch, tokens, {size}), got {shape}."
        )
