"""What the source of a routine says at a glance, before anything is translated."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Any, TypeVar

from footfall.errors import RoutineError

F = TypeVar("F", bound=Callable[..., Any])
_PARSING = Lock()
_TRIES = 20


class Translatable:
    """A function that runs as native code. python: the function as it was written."""

    python: Callable[..., Any]


def as_written(function: Any) -> Any:
    """What is translated: of a routine the function behind it, of a function of many rows (`rowwise`) that of one."""
    return function.python if isinstance(function, Translatable) else getattr(function, "one_row", function)


def merged(function: F) -> F:
    """A function that always becomes part of those that call it: small ones that are called for every contact say,
    however many of them there are. In Python, and in a trace, it is what it was."""
    function.__dict__["merged_into_callers"] = True
    return function


def is_merged(function: Callable[..., Any]) -> bool:
    """Whether it is one of `merged`."""
    return "merged_into_callers" in vars(function)


@cache
def definition(function: Callable[..., Any]) -> ast.FunctionDef:
    """The syntax tree of a function, with the lines of its file."""
    code = function.__code__
    known = _definitions(code.co_filename).get((function.__name__, code.co_firstlineno))
    if known is not None:
        return known
    try:  # nothing that a file has at its place: typed in, say
        source = inspect.getsource(function)
    except OSError as error:
        message = f"{function.__name__} is a routine, which is translated from its source, but there is none"
        raise RoutineError(message) from error
    tree = _parsed(textwrap.dedent(source)).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise RoutineError(f"{function.__name__} is no function with a name")
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    return tree


def _parsed(source: str) -> ast.Module:
    """One thread after the other: Python 3.11 counts the depth of all trees that are made at a time in one place, and
    raises a SystemError where they disagree (python/cpython#106905). Threads of others may parse, too."""
    with _PARSING:
        for _ in range(_TRIES):
            try:
                return ast.parse(source)
            except SystemError:
                continue
        return ast.parse(source)


@cache
def _definitions(path: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """All functions of a file, by name and first line: a file is read once, which is quicker than each by itself."""
    if not path.endswith(".py"):
        return {}
    try:
        tree = _parsed("".join(linecache.getlines(path)))
    except SyntaxError:
        return {}
    found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {
        (node.name, min([node.lineno, *(each.lineno for each in node.decorator_list)])): node
        for node in found
    }


@cache
def nodes_of(tree: ast.FunctionDef) -> tuple[ast.AST, ...]:
    """All of a function."""
    return tuple(ast.walk(tree))


@cache
def stores_of(tree: ast.FunctionDef) -> tuple[str, ...]:
    """The names that a function assigns to, each as often as it does."""
    return tuple(n.id for n in nodes_of(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


@cache
def gives_something(tree: ast.FunctionDef) -> bool:
    """Whether a function returns a value."""
    return any(isinstance(node, ast.Return) and node.value is not None for node in nodes_of(tree))


def overlaps(target: ast.expr, source: ast.expr) -> bool:
    """Whether elements of the source may be overwritten before they are read: other parts of the same array."""
    parts = [node for node in ast.walk(source) if isinstance(node, ast.Subscript)]
    while isinstance(target, ast.Subscript):
        base, text = ast.unparse(target.value), ast.unparse(target)
        if any(ast.unparse(part.value) == base and ast.unparse(part) != text for part in parts):
            return True
        target = target.value
    return False


def always_fresh(tree: ast.FunctionDef, name: str) -> bool:
    """Whether all that is assigned to a variable has just been made, so that it has no other name."""
    sources: list[ast.expr | None] = []
    for node in nodes_of(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                sources += _assigned(target, node.value, name)
        elif isinstance(node, ast.AnnAssign):
            sources += _assigned(node.target, node.value, name)
        elif isinstance(node, ast.For):
            sources += _assigned(node.target, None, name)
    return all(isinstance(source, ast.Call | ast.BinOp | ast.UnaryOp) for source in sources)


def _assigned(target: ast.expr, value: ast.expr | None, name: str) -> list[ast.expr | None]:
    """What an assignment gives a variable; None if that is part of something."""
    if isinstance(target, ast.Name):
        return [value] if target.id == name else []
    if not isinstance(target, ast.Tuple):
        return []
    values: list[Any] = value.elts if isinstance(value, ast.Tuple) else [None] * len(target.elts)
    return [
        source
        for inner, one in zip(target.elts, values, strict=True)
        for source in _assigned(inner, one, name)
    ]


@cache
def counters_of(tree: ast.FunctionDef) -> set[str]:
    """Variables that are set by loops over ranges only, which never become negative."""
    stores = stores_of(tree)
    loops = [
        (node.target.id, node.iter.args)
        for node in nodes_of(tree)
        if isinstance(node, ast.For)
        and isinstance(node.target, ast.Name)
        and isinstance(node.iter, ast.Call)
        and ast.unparse(node.iter.func) == "range"
    ]
    counters: set[str] = set()
    while True:  # a loop may start from the counter of another
        counts = [name for name, arguments in loops if _counts_up(arguments, counters)]
        found = {name for name in counts if stores.count(name) == counts.count(name)}
        if found == counters:
            return counters
        counters = found


def _counts_up(arguments: list[ast.expr], counters: set[str]) -> bool:
    """Whether a range with these arguments has no negative numbers, as far as that is plain."""
    step = ast.unparse(arguments[2]) if len(arguments) == 3 else "1"
    if step == "-1":
        return ast.unparse(arguments[1]) in ("-1", "0")
    return not step.startswith("-") and (len(arguments) == 1 or _plainly_positive(arguments[0], counters))


def _plainly_positive(node: ast.expr, counters: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in counters
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) and node.value >= 0
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        return _plainly_positive(node.left, counters) and _plainly_positive(node.right, counters)
    return False
