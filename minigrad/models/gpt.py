"""GPT: a transformer that reads tokens from left to right and says what may come next."""

import math
from dataclasses import dataclass
from typing import Any

from minigrad import nn
from minigrad.api import Tensor, eye, no_grad, rotary, scaled_dot_product_attention
from minigrad.dtypes import float32, int64
from minigrad.random import Generator
from minigrad.sizes import whole

SPREAD = 0.02  # of the first weights, as in GPT-2


@dataclass(frozen=True)
class GPTConfig:
    """What a GPT is built of.

    vocabulary  how many tokens there are
    context     how many of them it can look at, at most
    layers      blocks, one after the other
    heads       of attention in each; they share the width
    width       numbers of a token on its way through
    dropout     share of what is dropped in training
    positions   "learned", a row for each place, or "rotary", queries and keys turned by theirs
    bias        whether linear layers and norms add something
    """

    vocabulary: int
    context: int = 64
    layers: int = 3
    heads: int = 4
    width: int = 96
    dropout: float = 0.0
    positions: str = "learned"
    bias: bool = True

    def __post_init__(self) -> None:
        for name in ("vocabulary", "context", "layers", "heads", "width"):
            whole("GPTConfig", name, getattr(self, name))
        if self.width % self.heads:
            raise ValueError(
                f"GPTConfig: {self.heads} heads do not divide width {self.width}; each head has "
                "width / heads numbers."
            )
        if self.positions not in ("learned", "rotary"):
            raise ValueError(
                f"GPTConfig: positions are 'learned' or 'rotary', got {self.positions!r}."
            )


class GPT(nn.Module):
    """Tokens (batch, T) int64 -> logits (batch, T, vocabulary): for each token, what may follow it,
    by it and those before it alone.

    The table of tokens is used twice, to read them and to write them (weight tying): a token is
    likely next if its row points where the last block's result does.
    Source: Radford and others, "Language models are unsupervised multitask learners" (2019), GPT-2.
    """

    def __init__(
        self,
        config: GPTConfig,
        device: object = None,
        dtype: object = float32,
        *,
        generator: Generator | None = None,
    ) -> None:
        if not isinstance(config, GPTConfig):
            raise TypeError(f"GPT: config is a GPTConfig, got {type(config).__name__}.")
        self.config, width = config, config.width
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        start: dict[str, Any] = {"generator": generator, **place}
        self.tokens = nn.Embedding(config.vocabulary, width, **start)
        learned = config.positions == "learned"
        self.positions = nn.PositionEmbedding(config.context, width, **start) if learned else None
        self.dropout = nn.Dropout(config.dropout, generator=generator)
        self.blocks = nn.ModuleList(
            nn.TransformerBlock(
                width,
                config.heads,
                dropout=config.dropout,
                bias=config.bias,
                rotary=not learned,
                **start,
            )
            for _ in range(config.layers)
        )
        self.norm = nn.LayerNorm(width, bias=config.bias, **place)
        self.initialise(generator)

    def initialise(self, generator: Generator | None) -> None:
        """Small normal weights; smaller where a block adds to what passes by, since all layers'
        additions sum up.
        """
        calm = SPREAD / math.sqrt(2 * self.config.layers)
        for name, parameter in self.named_parameters():
            if parameter.ndim == 2:
                adds = name.endswith(("out_proj.weight", "linear2.weight"))
                nn.init.normal_(parameter, std=calm if adds else SPREAD, generator=generator)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def caches(self) -> list[nn.KVCache]:
        """Empty caches, one for each block: for a text that grows."""
        return [nn.KVCache() for _ in range(self.config.layers)]

    def forward(self, tokens: Any, caches: list[nn.KVCache] | None = None) -> Any:
        """caches: from caches(); the tokens given are those that follow what they hold.

        Raises ValueError for more tokens than the context, IndexError for one that does not exist.
        """
        kept = (None,) * self.config.layers if caches is None else caches
        if len(kept) != self.config.layers:
            raise ValueError(
                f"GPT: each of its {self.config.layers} blocks has a cache, got {len(kept)}; "
                "caches() makes them."
            )
        x = self.read(tokens, len(caches[0]) if caches else 0)
        for block, cache in zip(self.blocks, kept, strict=True):
            x = block(x, causal=True, cache=cache)
        return self.norm(x) @ self.tokens.weight.mT

    def read(self, tokens: Any, before: int = 0) -> Any:
        """The rows of the tokens, and of their places: (batch, T, width), for the first block."""
        check_tokens(tokens)
        self.check_length(before + tokens.shape[1])
        x = self.tokens(tokens)
        if self.positions is not None:
            x = x + self.positions(tokens.shape[1], before)
        return self.dropout(x)

    def check_length(self, length: int) -> None:
        """Raise ValueError for a sequence longer than the context."""
        context = self.config.context
        if length > context:
            raise ValueError(
                f"GPT: {length} tokens are more than its context of {context}; give it the last "
                f"{context}."
            )


def attention_maps(model: GPT, tokens: Any) -> list[Any]:
    """Who looks at whom: for each block (batch, heads, T, T), where row i says how much of what
    token i takes in comes from each token; a row adds up to 1.

    The model is in evaluation mode meanwhile, and afterwards in the mode it was in.
    """
    maps, mode = [], model.training
    block: Any
    model.train(False)
    try:
        with no_grad():
            x = model.read(tokens)
            for block in model.blocks:
                maps.append(weights(block.self_attn, block.norm1(x)))
                x = block(x, causal=True)
    finally:
        model.train(mode)
    return maps


def weights(attention: nn.MultiheadAttention, x: Any) -> Any:
    """Attention's weights (batch, heads, T, T) on x (batch, T, width), looking back alone."""
    q, k = (attention.heads(x, part) for part in range(2))
    if attention.rotary:
        q, k = rotary(q), rotary(k)
    # Of values that are the rows of eye, the mix is the weights themselves.
    rows = eye(x.shape[1], dtype=x.dtype, device=x.device)
    return scaled_dot_product_attention(q, k, rows, causal=True)


def check_tokens(tokens: Any) -> None:
    """Raise unless these are sequences of tokens."""
    if not isinstance(tokens, Tensor):
        given = type(tokens).__name__
        raise TypeError(f"GPT: expected a tensor, got {given}; minigrad.tensor makes one.")
    found: Any = tokens
    if len(found.shape) != 2:
        raise ValueError(f"GPT: tokens have shape (batch, T), got {found.shape}.")
    if found.dtype != int64:
        raise TypeError(f"GPT: tokens are int64, got {found.dtype}.")
