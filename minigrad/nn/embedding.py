"""Embeddings: a learned row of numbers for each token, and for each place."""

from typing import Any

from minigrad.api import embedding, empty
from minigrad.dtypes import float32
from minigrad.nn.init import normal_
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.random import Generator, generator_or_default
from minigrad.sizes import whole


class Embedding(Module):
    """Indices (...) int64 -> rows of weight (..., embedding_dim).

    weight (num_embeddings, embedding_dim) starts normally distributed, as in PyTorch. generator:
    where these numbers come from; None means that of manual_seed.
    Raises IndexError naming the position of an index that has no row.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        device: object = None,
        dtype: object = float32,
        *,
        generator: Generator | None = None,
    ) -> None:
        generator_or_default("Embedding", generator)
        self.num_embeddings = whole("Embedding", "num_embeddings", num_embeddings)
        self.embedding_dim = whole("Embedding", "embedding_dim", embedding_dim)
        self.weight = Parameter(empty((self.num_embeddings, self.embedding_dim), dtype, device))
        normal_(self.weight, generator=generator)

    def forward(self, indices: Any) -> Any:
        return embedding(self.weight, indices)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"


class PositionEmbedding(Embedding):
    """A learned row for each of `context` places: forward(length, offset=0) -> (length, size).

    offset: the place of the first token, where those before it are in a cache.
    Raises ValueError for a sequence that is longer than the context.
    """

    def forward(self, length: int, offset: int = 0) -> Any:
        first = whole("PositionEmbedding", "offset", offset, least=0)
        last = first + whole("PositionEmbedding", "length", length, least=0)
        if last > self.num_embeddings:
            raise ValueError(
                f"PositionEmbedding: a sequence of {last} tokens does not fit into a context of "
                f"{self.num_embeddings}; give it the last {self.num_embeddings}."
            )
        return self.weight[first:last]
