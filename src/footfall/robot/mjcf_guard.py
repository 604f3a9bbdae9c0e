"""What is looked at before an MJCF text is handed to MuJoCo, whose compiler trusts the numbers in it.

A few elements ask for memory by a number: copies of bodies, sizes of textures and height fields. No robot
needs millions of them.
"""

from __future__ import annotations

import math

from footfall.errors import RobotError
from footfall.robot.xml_tree import Element

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
_GREATEST = {"replicate": 1e3, "composite": 4e3, "flexcomp": 4e3, "numeric": 1e6, "size": 1e3}
_GREATEST_SIZE = 2.0**24
_GREATEST_TOTAL = 2.0**26  # of all such numbers
_GREATEST_COPIES = 1e4
_ELEMENTS = 50_000  # with all copies
_KEYS = 1_000
_FREE_SIZES = ("memory", "njmax", "nconmax", "nstack")  # taken when a simulation starts, not for the model
_SUBDIVISIONS = 5.0  # of a ball that is made of triangles, each time four out of one
_STEPS = 500.0  # around other shapes that are made


def check_demands(root: Element) -> None:
    """Refuse a model that asks for absurd amounts of anything."""
    elements = total = keys = 0.0
    pending = [(root, 1.0)]
    while pending:
        element, copies = pending.pop()
        demand = _demand(element)
        if demand > _GREATEST.get(element.tag, _GREATEST_SIZE):
            raise _refused(element, f"asks for {demand:g} of something")
        copies *= max(demand, 1.0) if element.tag == "replicate" else 1.0
        if copies > _GREATEST_COPIES:
            raise _refused(element, f"asks for {copies:g} copies")
        total += copies * demand
        elements += copies * (max(demand, 1.0) if element.tag in ("composite", "flexcomp") else 1.0)
        keys += element.tag == "key"
        if total > _GREATEST_TOTAL or elements > _ELEMENTS or keys > _KEYS:
            raise _refused(element, "and those before it ask for too much together")
        pending.extend((child, copies) for child in element.children)


def _demand(element: Element) -> float:
    if element.tag == "size":
        return max((_product(t) for n, t in element.attributes.items() if n not in _FREE_SIZES), default=0.0)
    if element.tag == "mesh" and "builtin" in element.attributes:
        limit = _SUBDIVISIONS if "sphere" in element.attributes["builtin"] else _STEPS
        if _greatest(element.attributes.get("params", "")) > limit:
            raise _refused(element, f"asks for more than {limit:g} divisions")
    names = _COUNTS.get(element.tag, ())
    given = [_product(element.attributes[name]) for name in names if name in element.attributes]
    return math.prod(given) if given else 0.0


def _product(text: str) -> float:
    """Product of the numbers in an attribute; what is no number is left to MuJoCo."""
    return math.prod(max(number, 1.0) for number in _numbers(text))


def _greatest(text: str) -> float:
    return max(_numbers(text), default=0.0)


def _numbers(text: str) -> list[float]:
    """Sizes of the numbers in a text; NaN passes as 1."""
    found = []
    for word in text.split():
        try:
            number = abs(float(word))
        except ValueError:
            continue
        found.append(1.0 if math.isnan(number) else number)
    return found


def _refused(element: Element, message: str) -> RobotError:
    return RobotError(f"<{element.tag}> {message}", source=element.source, line=element.line)
