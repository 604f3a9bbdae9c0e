"""Stores of numbers that are known beforehand: neighbours in memory go together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from footfall.compiler.trigonometry import literal, number, vector_type


def constant_stores(
    constants: Sequence[tuple[int, float]], base: str, prefix: str, *, lanes: int = 1
) -> list[str]:
    """Store numbers at their positions in an array; prefix: of the names that this takes."""
    lines: list[str] = []
    for start, values in _runs(constants, 8 if lanes == 1 else 1):
        width = len(values) * lanes
        if len(set(map(number, values))) == 1:
            data = literal(values[0], width)
        else:
            data = "<" + ", ".join(f"double {number(value)}" for value in values) + ">"
        name = f"%{prefix}_{start}"
        lines.append(f"  {name} = getelementptr i8, ptr {base}, i64 {start * lanes * 8}")
        lines.append(f"  store {vector_type(width)} {data}, ptr {name}, align 8")
    return lines


def _runs(constants: Sequence[tuple[int, float]], longest: int) -> Iterator[tuple[int, list[float]]]:
    """Neighbouring positions, grouped."""
    start, values = -1, list[float]()
    for position, value in constants:
        if values and position == start + len(values) and len(values) < longest:
            values.append(value)
        else:
            if values:
                yield start, values
            start, values = position, [value]
    if values:
        yield start, values
