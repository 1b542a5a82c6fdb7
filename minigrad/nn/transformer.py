"""The block that a transformer repeats: tokens look at each other, then each thinks for itself."""

from typing import Any

from minigrad.dtypes import float32
from minigrad.nn.activations import GELU
from minigrad.nn.dropout import Dropout
from minigrad.nn.linear import Linear
from minigrad.nn.module import Module
from minigrad.nn.multihead import KVCache, MultiheadAttention
from minigrad.nn.norm import LayerNorm
from minigrad.random import Generator
from minigrad.sizes import whole


class TransformerBlock(Module):
    """x + attention(norm(x)), and of that y + MLP(norm(y)): (batch, tokens, d_model), the same out.

    The MLP has dim_feedforward (4 * d_model if None) numbers inside, and GELU between. What is
    added to x is dropped out in training, as are attention's weights and what is inside the MLP.
    approximate: which GELU; "tanh" is that of GPT-2, and far faster in NumPy, which has no erf.

    Parameters have the names of PyTorch's TransformerEncoderLayer, which with norm_first=True
    computes the same.
    mask, causal, cache, rotary: as in MultiheadAttention
    Source: Radford and others, "Language models are unsupervised multitask learners" (2019).
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int | None = None,
        dropout: float = 0.0,
        layer_norm_eps: float = 1e-5,
        bias: bool = True,
        device: object = None,
        dtype: object = float32,
        *,
        approximate: str = "tanh",
        rotary: bool = False,
        generator: Generator | None = None,
    ) -> None:
        width = whole("TransformerBlock", "d_model", d_model)
        inside = 4 * width if dim_feedforward is None else dim_feedforward
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        start: dict[str, Any] = {"bias": bias, "generator": generator, **place}
        self.self_attn = MultiheadAttention(width, nhead, dropout, rotary=rotary, **start)
        self.linear1 = Linear(width, inside, **start)
        self.linear2 = Linear(inside, width, **start)
        self.norm1 = LayerNorm(width, layer_norm_eps, bias=bias, **place)
        self.norm2 = LayerNorm(width, layer_norm_eps, bias=bias, **place)
        self.activation = GELU(approximate)
        self.dropout = Dropout(dropout, generator=generator)

    def forward(
        self, x: Any, mask: Any = None, causal: bool = False, cache: KVCache | None = None
    ) -> Any:
        # <ex 7.6> twice: a norm, a part of the block, dropout, and all of it added to x (2 lines)
        x = x + self.dropout(self.self_attn(self.norm1(x), None, None, mask, causal, cache))
        return x + self.dropout(self.mlp(self.norm2(x)))
        # </ex 7.6>

    def mlp(self, x: Any) -> Any:
        """Each token for itself: wider, bent, narrow again."""
        return self.linear2(self.dropout(self.activation(self.linear1(x))))
