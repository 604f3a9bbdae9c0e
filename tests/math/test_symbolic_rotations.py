"""Rotations of SymPy's symbols give the printed matrices (RSL 2022, (2.32)-(2.45), checklist 7)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footfall.math.rotations import matrix_from_euler

sympy = pytest.importorskip("sympy")


class Angle(sympy.Symbol):  # type: ignore[misc]
    """A symbol that NumPy can take the sine and cosine of."""

    def cos(self) -> Any:
        return sympy.cos(self)

    def sin(self) -> Any:
        return sympy.sin(self)


a, b, c = Angle("a"), Angle("b"), Angle("c")
ca, cb, cc = (sympy.cos(x) for x in (a, b, c))
sa, sb, sc = (sympy.sin(x) for x in (a, b, c))
PRINTED = {
    "zyz": [
        [cb * ca * cc - sa * sc, -cc * sa - cb * ca * sc, ca * sb],
        [ca * sc + cb * cc * sa, ca * cc - cb * sa * sc, sb * sa],
        [-cc * sb, sb * sc, cb],
    ],
    "zxz": [
        [ca * cc - cb * sa * sc, -ca * sc - cb * cc * sa, sb * sa],
        [cc * sa + cb * ca * sc, cb * ca * cc - sa * sc, -ca * sb],
        [sb * sc, cc * sb, cb],
    ],
    "zyx": [
        [cb * ca, ca * sc * sb - cc * sa, sc * sa + cc * ca * sb],
        [cb * sa, cc * ca + sc * sb * sa, cc * sb * sa - ca * sc],
        [-sb, cb * sc, cc * cb],
    ],
    "xyz": [
        [cb * cc, -cb * sc, sb],
        [ca * sc + cc * sa * sb, ca * cc - sa * sb * sc, -cb * sa],
        [sa * sc - ca * cc * sb, cc * sa + ca * sb * sc, ca * cb],
    ],
}


@pytest.mark.parametrize("sequence", PRINTED)
def test_printed_matrices(sequence: str) -> None:
    matrix = matrix_from_euler(sequence, np.array([a, b, c], dtype=object))
    difference = sympy.Matrix(matrix) - sympy.Matrix(PRINTED[sequence])
    assert difference.applyfunc(lambda entry: sympy.nsimplify(sympy.expand(entry))) == sympy.zeros(3, 3)
    wrong = sympy.Matrix(matrix) - sympy.Matrix(PRINTED["xyz" if sequence != "xyz" else "zyx"])
    assert wrong.applyfunc(sympy.expand) != sympy.zeros(3, 3)
