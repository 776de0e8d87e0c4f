"""The three matrix products of a projection: plain, or of rounded numbers; and a projection by a weight in 4 bits.

y = x W^T, dx = dy W and dW = dy^T x.

Shape suffixes: N tokens, I and O channels in and out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, final

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from headway.training.engines.torch import nf4
from headway.training.engines.torch.float8 import float8_product
from headway.training.engines.torch.linear import product
from headway.training.engines.torch.parallel.local import here
from headway.training.engines.torch.rounded import int8_product
from headway.training.engines.torch.weights import slices_of, write_part

PLAIN = "plain"


class Products(ABC):
    """One way to make the products of a projection; its methods are outside of autograd."""

    @abstractmethod
    def forward(self, x_NI: Tensor, weight_OI: Tensor) -> Tensor:
        """Return the projection [N, O]."""

    @abstractmethod
    def of_input(self, grad_NO: Tensor, weight_OI: Tensor) -> Tensor:
        """Return the gradient [N, I] of the input."""

    @abstractmethod
    def of_weight(self, grad_NO: Tensor, x_NI: Tensor) -> Tensor:
        """Return the gradient [O, I] of the weight."""


@final
class PlainProducts(Products):
    """In the dtype of the operands."""

    def forward(self, x_NI: Tensor, weight_OI: Tensor) -> Tensor:
        """Return the projection; see `Products.forward`."""
        return product(x_NI, weight_OI.t())

    def of_input(self, grad_NO: Tensor, weight_OI: Tensor) -> Tensor:
        """Return a gradient; see `Products.of_input`."""
        return product(grad_NO, weight_OI)

    def of_weight(self, grad_NO: Tensor, x_NI: Tensor) -> Tensor:
        """Return a gradient; see `Products.of_weight`."""
        return product(grad_NO.t(), x_NI)


@final
class Int8Products(Products):
    """Of 8-bit integers with a scale for each row."""

    def forward(self, x_NI: Tensor, weight_OI: Tensor) -> Tensor:
        """Return the projection; see `Products.forward`."""
        return int8_product(x_NI, weight_OI)  # type: ignore[no-any-return]

    def of_input(self, grad_NO: Tensor, weight_OI: Tensor) -> Tensor:
        """Return a gradient; see `Products.of_input`."""
        return int8_product(grad_NO, weight_OI.t())  # type: ignore[no-any-return]

    def of_weight(self, grad_NO: Tensor, x_NI: Tensor) -> Tensor:
        """Return a gradient; see `Products.of_weight`."""
        return int8_product(grad_NO.t(), x_NI.t())  # type: ignore[no-any-return]


@final
class Float8Products(Products):
    """Of 8-bit floats with a scale for each matrix."""

    def forward(self, x_NI: Tensor, weight_OI: Tensor) -> Tensor:
        """Return the projection; see `Products.forward`."""
        return float8_product(x_NI, weight_OI, False)  # type: ignore[no-any-return]

    def of_input(self, grad_NO: Tensor, weight_OI: Tensor) -> Tensor:
        """Return a gradient; see `Products.of_input`."""
        return float8_product(grad_NO, weight_OI.t(), True)  # type: ignore[no-any-return]

    def of_weight(self, grad_NO: Tensor, x_NI: Tensor) -> Tensor:
        """Return a gradient; see `Products.of_weight`."""
        return float8_product(grad_NO.t(), x_NI.t(), True)  # type: ignore[no-any-return]


PRODUCTS: dict[str, Products] = {PLAIN: PlainProducts(), "int8": Int8Products(), "fp8": Float8Products()}
"""By the recipe's word for the precision."""


def project(x: Tensor, weight_OI: Tensor, kind: str) -> Tensor:
    """Return ``x @ weight.T`` over the last axis of ``x``, by products of a kind."""
    product_NO: Tensor = Projection.apply(x.reshape(-1, x.shape[-1]), weight_OI, kind)
    return product_NO.view(*x.shape[:-1], weight_OI.shape[0])


class Projection(Function):
    """A bias-free projection by a weight that is trained."""

    @staticmethod
    def forward(ctx: Any, x_NI: Tensor, weight_OI: Tensor, kind: str) -> Tensor:
        """Return the projection [N, O] by products of a kind."""
        ctx.save_for_backward(x_NI, weight_OI)
        ctx.kind = kind
        return PRODUCTS[kind].forward(x_NI, weight_OI)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_NO: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        """Return the gradients of the input and of the weight, where they are needed."""
        x_NI, weight_OI = ctx.saved_tensors
        products = PRODUCTS[ctx.kind]
        grad_x_NI = products.of_input(grad_NO, weight_OI) if ctx.needs_input_grad[0] else None
        grad_weight_OI = products.of_weight(grad_NO, x_NI) if ctx.needs_input_grad[1] else None
        return grad_x_NI, grad_weight_OI, None


class FrozenProjection(Function):
    """A bias-free projection by a weight in 4 bits, which is expanded in each pass anew."""

    @staticmethod
    def forward(
        ctx: Any, x_NI: Tensor, codes_OW: Tensor, constants_OK: Tensor, scales_O4: Tensor, columns: int, kind: str
    ) -> Tensor:
        """Return the projection [N, O] by products of a kind."""
        ctx.save_for_backward(codes_OW, constants_OK, scales_O4)
        ctx.columns, ctx.kind = columns, kind
        weight_OI = nf4.expanded(codes_OW, constants_OK, scales_O4, columns, x_NI.dtype)
        return PRODUCTS[kind].forward(x_NI, weight_OI)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_NO: Tensor) -> tuple[Tensor | None, None, None, None, None, None]:
        """Return the gradient of the input: the weight has none."""
        if not ctx.needs_input_grad[0]:
            return None, None, None, None, None, None
        weight_OI = nf4.expanded(*ctx.saved_tensors, ctx.columns, grad_NO.dtype)
        return PRODUCTS[ctx.kind].of_input(grad_NO, weight_OI), None, None, None, None, None


@final
class PackedWeight(nn.Module):
    """A frozen weight in 4 bits: this device's part of it.

    Args:
        weight: what it takes the place of, whole or divided over devices that share matrices; without storage.
    """

    codes: Tensor
    constants: Tensor
    scales: Tensor

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        own = here(weight)
        self._rows, self._columns = slices_of(weight)
        self.columns = own.shape[1]
        # Blocks are the whole matrix's, cut finer where a device's part ends within one.
        self._block = nf4.common_block(weight.shape[1], self.columns)
        for name, shape in nf4.packed_shapes(own.shape[0], self.columns, self._block).items():
            empty = torch.empty(shape, dtype=torch.uint8, device=own.device)
            self.register_parameter(name, nn.Parameter(empty, requires_grad=False))

    def forward(self, x: Tensor, kind: str) -> Tensor:
        """Project the last axis of ``x``, by products of a kind."""
        product_NO: Tensor = FrozenProjection.apply(
            x.reshape(-1, x.shape[-1]), self.codes, self.constants, self.scales, self.columns, kind
        )
        return product_NO.view(*x.shape[:-1], product_NO.shape[-1])

    @torch.no_grad()
    def write(self, whole_OI: Tensor) -> None:
        """Keep this device's part of a whole matrix, fp32."""
        packed = nf4.part_of_columns(nf4.quantised(whole_OI[self._rows]), self._columns, self._block)
        write_part(self.codes, packed.codes_OW)
        write_part(self.constants, packed.constants_OK)
        write_part(self.scales, packed.scales_O4)
