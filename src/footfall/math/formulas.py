"""Formulas of SymPy in algorithms that are written for numbers.

Textbook functions take sines, products and sums of whatever stands in their arrays. SymPy's expressions lack what NumPy
asks of the elements of an array (`x.cos()`), and `0.0 * x` stays in them; here they get both, and are taken out of the
results again. What chooses between cases (`where`) has no formula and is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.errors import InvalidInput


class Formula:
    """An expression of SymPy as an element of an array."""

    __slots__ = ("expression",)

    def __init__(self, expression: Any) -> None:
        self.expression = expression

    def __repr__(self) -> str:
        return repr(self.expression)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # element by element
        return self if _is(other, 0) else Formula(self.expression + _expression(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # element by element
        return self if _is(other, 0) else Formula(self.expression - _expression(other))

    def __rsub__(self, other: Any) -> Any:
        return Formula(_expression(other) - self.expression)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # element by element
        if _is(other, 0):
            return 0.0
        return self if _is(other, 1) else Formula(self.expression * _expression(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # element by element
        return self if _is(other, 1) else Formula(self.expression / _expression(other))

    def __rtruediv__(self, other: Any) -> Any:
        return 0.0 if _is(other, 0) else Formula(_expression(other) / self.expression)

    def __neg__(self) -> Formula:
        return Formula(-self.expression)

    def __pos__(self) -> Formula:
        return self

    def __pow__(self, power: Any) -> Formula:
        return Formula(self.expression ** _expression(power))

    def _of(self, name: str) -> Formula:
        import sympy

        return Formula(getattr(sympy, name)(self.expression))

    def sin(self) -> Formula:
        return self._of("sin")

    def cos(self) -> Formula:
        return self._of("cos")

    def tan(self) -> Formula:
        return self._of("tan")

    def sqrt(self) -> Formula:
        return self._of("sqrt")

    def arctan2(self, other: Any) -> Formula:
        import sympy

        return Formula(sympy.atan2(self.expression, _expression(other)))

    def _chosen(self, *_: Any) -> bool:
        raise InvalidInput(
            f"a choice depends on {self.expression!s:.60}, which has no formula; use numbers for this function"
        )

    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = _chosen
    __float__ = _chosen


def is_formula(value: Any) -> bool:
    """Whether it is an expression of SymPy, or an array or a list that has some."""
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(_is_expression(each) for each in value.flat)
    if isinstance(value, list | tuple):
        return any(is_formula(each) for each in value)
    return _is_expression(value)


def has_formulas(value: Any) -> bool:
    """Whether it is an array of formulas that were taken in already."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype == object
        and any(isinstance(each, Formula) for each in value.flat)
    )


def taken_in(value: Any) -> Any:
    """Expressions as elements that algorithms take; numbers stay numbers."""
    if isinstance(value, np.ndarray | list | tuple):
        array = np.array(value, dtype=object)
        flat = [_number_or_formula(each) for each in array.flat]
        made = np.empty(len(flat), dtype=object)
        made[:] = flat
        return made.reshape(array.shape)
    return _number_or_formula(value)


def taken_out(value: Any) -> Any:
    """Results with expressions of SymPy in them."""
    if isinstance(value, Formula):
        return value.expression
    if isinstance(value, np.ndarray) and value.dtype == object:
        made = np.empty(value.size, dtype=object)
        made[:] = [_expression(each) for each in value.flat]
        return made.reshape(value.shape)
    if isinstance(value, tuple):
        parts = [taken_out(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _is_expression(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "sympy" and hasattr(value, "free_symbols")


def _number_or_formula(value: Any) -> Any:
    if not _is_expression(value):
        return value
    return float(value) if value.is_number and value.is_real else Formula(value)


def _is(value: Any, number: int) -> bool:
    return isinstance(value, int | float) and value == number


def _expression(value: Any) -> Any:
    """Of a number or a formula; whole numbers are exact."""
    import sympy

    if isinstance(value, Formula):
        return value.expression
    if isinstance(value, int | float | np.integer | np.floating):
        number = float(value)
        return sympy.Integer(int(number)) if number.is_integer() else sympy.Float(number)
    return value
