"""Unit and limits of a parameter of a walk, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.inspect import FloatType, IntType, type_info

from footfall.walking.settings import WalkSettings

_SUFFIXES = {
    "_m": "m",
    "_s": "s",
    "_deg": "degrees",
    "_n": "N",
    "_N": "N",
    "_kg": "kg",
    "_hz": "Hz",
    "_rad": "rad",
    "_rate": "1/s",
    "_force": "N",
    "_force_limit": "N",
    "_stiffness": "N/m",
    "_speed": "m/s",
    "_acceleration": "m/s2",
    "_turn": "rad",
    "_step": "m",
}


def unit_of(name: str) -> str:
    """As its name says; empty for counts and shares."""
    return next(
        (
            unit
            for suffix, unit in sorted(_SUFFIXES.items(), key=lambda each: -len(each[0]))
            if name.endswith(suffix)
        ),
        "",
    )


def describe_parameter(settings: WalkSettings, name: str) -> str:
    """Its unit and what it may be, such as "m; above 0, at most 1e+06"."""
    words = [unit_of(name)]
    group, *path = name.split(".")
    if group == "gains":
        words.append("zero or above")
    else:
        value: Any = getattr(settings, group)
        kind: Any = type(value)
        for part in path:
            if isinstance(value, Mapping):  # of classes of objects, by name
                value = value[part]
                kind = type(value)
                continue
            fields = {field.name: field for field in msgspec.structs.fields(value)}
            kind, value = fields[part].type, getattr(value, part)
        words.append(_limits(kind))
    return "; ".join(word for word in words if word)


def _limits(kind: Any) -> str:
    info = type_info(kind)
    if not isinstance(info, (FloatType, IntType)):
        return ""
    words = []
    for given, text in ((info.gt, "above"), (info.ge, "at least"), (info.lt, "below"), (info.le, "at most")):
        if given is not None:
            words.append(f"{text} {given:g}")
    whole = ["whole"] if isinstance(info, IntType) else []
    return ", ".join(whole + words)
