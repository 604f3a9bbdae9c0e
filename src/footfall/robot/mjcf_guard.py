"""What is looked at before an MJCF text is handed to MuJoCo, whose compiler trusts the numbers in it.

A few elements ask for memory by a number: copies of bodies, sizes of textures and height fields. No robot
needs millions of them.
"""

from __future__ import annotations

import math
from pathlib import Path

from footfall.errors import UnsafeDescription
from footfall.robot.xml_tree import Element, read_xml

# Attributes whose numbers multiply to what an element asks for.
_COUNTS = {
    "replicate": ("count",),
    "composite": ("count",),
    "flexcomp": ("count",),
    "texture": ("width", "height", "nchannel"),
    "hfield": ("nrow", "ncol"),
    "numeric": ("size",),
    "mesh": ("params",),
    "skin": ("params",),
}
_GREATEST = {"replicate": 1e3, "composite": 1e4, "flexcomp": 1e4}
_GREATEST_SIZE = 2.0**24
_GREATEST_COPIES = 1e4
_FREE_SIZES = ("memory", "njmax", "nconmax", "nstack")  # taken when a simulation starts, not for the model
_INCLUDE_DEPTH = 8


def check_demands(root: Element, directory: Path | None) -> None:
    """Refuse text that asks for absurd amounts of anything, in included files too.

    directory: where included files are looked for; None refuses inclusion.
    """
    pending = [(root, 1.0, 0)]
    while pending:
        element, copies, depth = pending.pop()
        demand = _demand(element)
        if demand > _GREATEST.get(element.tag, _GREATEST_SIZE):
            raise _refused(element, f"asks for {demand:g} of something")
        copies *= max(demand, 1.0) if element.tag == "replicate" else 1.0
        if copies > _GREATEST_COPIES:
            raise _refused(element, f"asks for {copies:g} copies")
        if element.tag == "include":
            if directory is None:
                raise _refused(element, "includes a file, which text without a path cannot")
            if depth >= _INCLUDE_DEPTH:
                raise _refused(element, "includes files in files too often")
            path = directory / element.string("file")
            if path.is_file():  # MuJoCo says what is wrong with one that is not there
                pending.append((read_xml(path), copies, depth + 1))
        pending.extend((child, copies, depth) for child in element.children)


def _demand(element: Element) -> float:
    if element.tag == "size":
        return max((_product(t) for n, t in element.attributes.items() if n not in _FREE_SIZES), default=0.0)
    names = _COUNTS.get(element.tag, ())
    given = [_product(element.attributes[name]) for name in names if name in element.attributes]
    return math.prod(given) if given else 0.0


def _product(text: str) -> float:
    """Product of the numbers in an attribute; what is no number is left to MuJoCo."""
    result = 1.0
    for word in text.split():
        try:
            number = abs(float(word))
        except ValueError:
            continue
        result *= max(number, 1.0)  # NaN passes as 1
    return result


def _refused(element: Element, message: str) -> UnsafeDescription:
    return UnsafeDescription(f"<{element.tag}> {message}", source=element.source, line=element.line)
