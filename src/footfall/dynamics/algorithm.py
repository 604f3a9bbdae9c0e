"""What turns a textbook function into a public one: batches, checks and native code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def algorithm(**shapes: str) -> Callable[[Callable[..., Any]], Any]:
    """Declare the array arguments of a textbook function and their shapes, `q="nq", v="nv"`."""

    def decorate(function: Callable[..., Any]) -> Any:
        function.textbook = function  # type: ignore[attr-defined]
        return function

    return decorate
