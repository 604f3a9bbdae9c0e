"""Everything that the meaning of a routine depends on, as one hash: what its code on disk is found by.

That is the source of the function and of all functions and classes of Python that it names, the values of the
constants among them, and what its parameters are if they are left out. What NumPy and `math` give is known by name.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import sys
import types
import typing
from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from footfall.compiler.routines.annotations import is_record, record_fields
from footfall.compiler.routines.source_analysis import as_written

_COMPILER = "footfall.compiler."
_FOREIGN = ("numpy", "math", "builtins", "typing", "dataclasses", "enum", "collections")


class Content(NamedTuple):
    """key: a hash of all that a function does. classes: those that it knows, by their full names."""

    key: str
    classes: dict[str, type]


def content_of(function: Callable[..., Any]) -> Content:
    digest = sha256()
    classes: dict[str, type] = {}
    pending, seen = [function], set[int]()
    kept: list[Any] = []  # so that no two things have the same address
    while pending:
        one = pending.pop()
        one = as_written(one)
        if id(one) in seen and not isinstance(one, int | float):  # equal numbers may be the same object
            continue
        seen.add(id(one))
        kept.append(one)
        if isinstance(one, type):
            classes[full_name(one)] = one
        if _is_known(one):
            texts, more = [_known_name(one)], []
        elif isinstance(one, types.FunctionType):
            texts, more = _function_texts(one), _named(one)
        elif isinstance(one, type):
            texts, more = _class_texts(one), _members(one)
        else:
            texts, more = [_value_text(one)], _inside(one)
        pending += more
        for text in texts:
            digest.update(text.encode() + b"\0")
    return Content(digest.hexdigest(), classes)


def full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _function_texts(function: types.FunctionType) -> list[str]:
    code = function.__code__
    return [
        f"{function.__module__}.{function.__qualname__}",
        repr((code.co_code, _constants(code), code.co_names, code.co_varnames, code.co_freevars)),
        repr(sorted((name, _annotation(value)) for name, value in function.__annotations__.items())),
    ]


def _annotation(value: Any) -> str:
    return str(getattr(value, "__forward_arg__", value))


def _constants(code: types.CodeType) -> list[str]:
    return [
        repr((inner.co_code, inner.co_names, _constants(inner)))
        if isinstance(inner, types.CodeType)
        else repr(inner)
        for inner in code.co_consts
    ]


def _names(code: types.CodeType) -> list[str]:
    """Names that code uses, that of comprehensions and functions inside of it too."""
    inner = [name for each in code.co_consts if isinstance(each, types.CodeType) for name in _names(each)]
    return [*code.co_names, *inner]


def _named(function: types.FunctionType) -> list[Any]:
    """What a function names: globals, attributes of modules and classes, values around it, annotations."""
    names = [*_names(function.__code__), *_words(function.__annotations__.values())]
    found = [function.__globals__[name] for name in names if name in function.__globals__]
    owners = [value for value in found if isinstance(value, types.ModuleType | type)]
    for owner in owners:
        if _is_known(owner):
            continue
        found += [vars(owner)[name] for name in names if name in vars(owner)]
    found += [kind for value in function.__annotations__.values() for kind in _classes_in(value)]
    found += [cell.cell_contents for cell in function.__closure__ or ()]
    found += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    return [value for value in found if not isinstance(value, types.ModuleType)]


def _classes_in(annotation: Any) -> list[type]:
    """The classes that an annotation names, where it is no text."""
    if isinstance(annotation, type):
        return [annotation]
    return [kind for inner in typing.get_args(annotation) for kind in _classes_in(inner)]


def _words(annotations: Any) -> list[str]:
    texts = [_annotation(value) for value in annotations]
    return [
        word for text in texts for word in text.replace("[", " ").replace("]", " ").replace(",", " ").split()
    ]


def _is_known(value: Any) -> bool:
    """Whether something is known by its name: of NumPy or Python, or of the compiler, whose own source is another part
    of what code is found by."""
    home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    if not isinstance(home, str) or isinstance(value, np.ndarray | np.generic):
        return False
    return home.split(".")[0] in _FOREIGN or home.startswith(_COMPILER)


def _known_name(value: Any) -> str:
    """The name that something has in its module: what a factory has made has another one of its own."""
    there = vars(sys.modules[value.__module__]) if value.__module__ in sys.modules else {}
    own = getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or type(value).__qualname__
    name = own if "<" not in own else next((name for name, item in there.items() if item is value), own)
    return f"{value.__module__}.{name}"


def _class_texts(kind: type) -> list[str]:
    texts = [full_name(kind)]
    if is_record(kind) or issubclass(kind, enum.Enum):
        for base in kind.__mro__:
            annotations = inspect.get_annotations(base)
            texts.append(repr([(name, _annotation(value)) for name, value in annotations.items()]))
    return texts


def _members(kind: type) -> list[Any]:
    """Methods, properties, defaults and the classes of the fields of a record; members of an enumeration."""
    if issubclass(kind, enum.Enum):
        return [member.value for member in kind]
    if not is_record(kind):
        return []
    members: list[Any] = []
    for base in kind.__mro__:
        names = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
        annotations = inspect.get_annotations(base).values()
        fields = [names.get(word) for word in _words(annotations)]
        fields += [kind for value in annotations for kind in _classes_in(value)]
        members += [value for value in fields if isinstance(value, type) and not _is_known(value)]
        for value in vars(base).values():
            value = value.fget if isinstance(value, property) else value
            value = as_written(value)
            if isinstance(value, types.FunctionType) and value.__code__.co_filename != "<string>":
                members.append(value)  # written by a person
    if dataclasses.is_dataclass(kind):
        defaults = [field.default for field in dataclasses.fields(kind)]
        members += [value for value in defaults if value is not dataclasses.MISSING]
    else:
        members += list(getattr(kind, "_field_defaults", {}).values())
    return members


def _value_text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if isinstance(value, bool | int | float | complex | str | bytes | np.generic | enum.Enum | None):
        return repr(value)
    return type(value).__qualname__


def _inside(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [type(value), *value] if is_record(type(value)) else list(value)
    if is_record(type(value)):
        return [type(value), *(getattr(value, name) for name in record_fields(type(value)))]
    return []
