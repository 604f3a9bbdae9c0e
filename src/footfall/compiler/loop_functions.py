"""Functions of native loops as LLVM IR: statements, calls of one another, results."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from footfall.compiler.errors import LoopError
from footfall.compiler.loop_arrays import Arrays, plainly_positive
from footfall.compiler.loop_calls import TRANSLATORS
from footfall.compiler.loop_memory import MEMORY
from footfall.compiler.loop_types import (
    BOOL,
    FLOAT,
    INT,
    NOTHING,
    ArrayType,
    Number,
    Type,
    Value,
    has_arrays,
    items_of,
    machine_types,
)

_MOST_PASSES = 20
_ANNOTATED = {"float": FLOAT, "int": INT, "bool": BOOL}


class Loop:
    """A native loop. python: the function as it was written."""

    python: Callable[..., Any]


class Translated(NamedTuple):
    """A function in the module. written: which arguments it changes; given: which of them its result may be."""

    name: str
    result: Type
    written: frozenset[int]
    given: frozenset[int]


class LoopModule:
    """Functions that call one another, each for the types that it is called with."""

    def __init__(self) -> None:
        self.functions: dict[tuple[Callable[..., Any], tuple[Type, ...]], Translated | None] = {}
        self.texts: list[str] = []
        self.declarations: set[str] = set()

    def translated(self, function: Callable[..., Any], types: tuple[Type, ...]) -> Translated:
        key = (function, types)
        if key not in self.functions:
            self.functions[key] = None
            self.functions[key] = self._translate(function, types)
        found = self.functions[key]
        if found is None:
            raise LoopError(f"{function.__name__} calls itself, which native loops cannot")
        return found

    def text(self) -> str:
        return "\n".join([*sorted(self.declarations), MEMORY, *self.texts])

    def _translate(self, function: Callable[..., Any], types: tuple[Type, ...]) -> Translated:
        name = f"loop{len(self.functions)}_{function.__name__}"
        body = _Function(self, function, types)
        for _ in range(_MOST_PASSES):
            body.translate()
            if not body.changed:
                break
        self.texts.append(body.text(name))
        return Translated(
            name, body.types["return"], frozenset(body.written), body.roots.get("return", frozenset())
        )


@cache
def definition(function: Callable[..., Any]) -> ast.FunctionDef:
    try:
        source = inspect.getsource(function)
    except OSError as error:
        message = (
            f"{function.__name__} is a native loop, which is translated from its source, but there is none"
        )
        raise LoopError(message) from error
    tree = ast.parse(textwrap.dedent(source)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
    return tree


def argument_type(function: Callable[..., Any], number: int, given: Type) -> Type:
    """What an argument becomes: numbers as they are annotated."""
    code = function.__code__
    annotation = function.__annotations__.get(code.co_varnames[number])
    wanted = _ANNOTATED.get(str(getattr(annotation, "__name__", annotation)))
    return wanted if wanted is not None and isinstance(given, Number) else given


class _Function(Arrays):
    def __init__(self, module: LoopModule, function: Callable[..., Any], types: tuple[Type, ...]) -> None:
        tree = definition(function)
        self.arguments = [argument.arg for argument in tree.args.args]
        if len(types) != len(self.arguments) or ast.unparse(tree.args).count("*") or tree.args.defaults:
            raise LoopError(
                f"{function.__name__} takes {', '.join(self.arguments)}, each of them by position"
            )
        stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        super().__init__(function.__globals__, stored | set(self.arguments), _counters(tree))
        self.module, self.function, self.tree = module, function, tree
        self.given = types
        self.exits: list[tuple[str, str]] = []  # of the loops around: labels of continue and break

    def declare(self, line: str) -> None:
        self.module.declarations.add(line)

    def translate(self) -> None:
        """One pass over the function."""
        self.begin()
        if "return" not in self.types and not any(
            isinstance(node, ast.Return) and node.value is not None for node in ast.walk(self.tree)
        ):
            self.types["return"], self.roots["return"] = NOTHING, frozenset()
        first = 0
        for k, (name, given) in enumerate(zip(self.arguments, self.given, strict=True)):
            count = len(machine_types(given))
            parts = tuple(f"%a{n}" for n in range(first, first + count))
            self.assign(name, Value(given, parts, frozenset([k]) if has_arrays(given) else frozenset()))
            first += count
        self.block(self.tree.body)
        self.jump("exit")

    def text(self, name: str) -> str:
        """The whole function, after the last pass."""
        result = self.types["return"]
        parts = machine_types(result)
        kind = f"{{ {', '.join(parts)} }}" if parts else "void"
        arguments = [part for given in self.given for part in machine_types(given)]
        listed = ", ".join(["ptr %arena", *(f"{part} %a{n}" for n, part in enumerate(arguments))])
        opening, closing = [], ["exit:"]
        if self.allocates and not has_arrays(result):  # nobody sees what it has allocated
            opening = [
                "  %mark = load ptr, ptr %arena",
                "  %used_p = getelementptr i64, ptr %arena, i64 1",
                "  %mark_used = load i64, ptr %used_p",
            ]
            closing.append("  call fastcc void @release(ptr %arena, ptr %mark, i64 %mark_used)")
        answer = "undef"
        places = self.slot("return") if parts else []
        for n, (part, place) in enumerate(zip(parts, places, strict=True)):
            closing.append(f"  %r{n} = load {part}, ptr {place}")
            closing.append(f"  %s{n} = insertvalue {kind} {answer}, {part} %r{n}, {n}")
            answer = f"%s{n}"
        closing.append(f"  ret {kind} {answer}" if parts else "  ret void")
        head = f"define internal fastcc {kind} @{name}({listed}) nounwind {{"
        return "\n".join([head, *self.stack, *opening, *self.lines, *closing, "}", ""])

    # Statements

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            method = getattr(self, f"_{type(statement).__name__}", None)
            try:
                if method is None:
                    raise LoopError(f"cannot translate `{ast.unparse(statement)}`")
                method(statement)
            except LoopError as error:
                if getattr(error, "located", False):
                    raise
                place = f"{self.function.__code__.co_filename}:{statement.lineno} in {self.function.__name__}"
                located = LoopError(f"{place}: {error}")
                located.located = True  # type: ignore[attr-defined]
                raise located from error

    def _Pass(self, node: ast.Pass) -> None:
        pass

    def _Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.expression(node.value)

    def _Assign(self, node: ast.Assign) -> None:
        value = self.expression(node.value)
        for target in node.targets:
            self.bind(target, value)

    def bind(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            if target.id != "_":  # nobody reads it, and it may be anything
                self.assign(target.id, value)
        elif isinstance(target, ast.Tuple):
            items = items_of(value)
            if len(items) != len(target.elts):
                raise LoopError(f"{len(items)} values for `{ast.unparse(target)}`")
            for inner, item in zip(target.elts, items, strict=True):
                self.bind(inner, item)
        else:
            self.store(self.element(target), value)

    def element(self, target: ast.expr) -> Value:
        """The place of an array's element."""
        if not isinstance(target, ast.Subscript):
            raise LoopError(f"cannot assign to `{ast.unparse(target)}`")
        base = self.expression(target.value)
        if not isinstance(base.type, ArrayType):
            raise LoopError(
                f"`{ast.unparse(target.value)}` is {base.type}, which has no elements to assign to"
            )
        indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        return self.part(base, indices)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            before, value = self.read(node.target.id), self.expression(node.value)
            if isinstance(before.type, ArrayType):
                self.change(node.op, before, value)
            else:
                self.assign(node.target.id, self.arithmetic(node.op, before, value))
        else:
            place = self.element(node.target)
            value = self.expression(node.value)
            if len(place.parts) > 1:
                self.change(node.op, place, value)
            else:
                self.store(place, self.arithmetic(node.op, self.load(place), value))

    def _If(self, node: ast.If) -> None:
        then, other, end = self.label(), self.label(), self.label()
        self.branch(self.expression(node.test), then, other)
        for label, statements in ((then, node.body), (other, node.orelse)):
            self.place(label)
            self.block(statements)
            self.jump(end)
        self.place(end)

    def _While(self, node: ast.While) -> None:
        _refuse_else(node)
        head, body, end = self.label(), self.label(), self.label()
        self.jump(head)
        self.place(head)
        self.branch(self.expression(node.test), body, end)
        self.place(body)
        self.inside(node.body, head, end)
        self.jump(head)
        self.place(end)

    def inside(self, statements: list[ast.stmt], following: str, end: str) -> None:
        self.exits.append((following, end))
        self.block(statements)
        self.exits.pop()

    def _For(self, node: ast.For) -> None:
        _refuse_else(node)
        if isinstance(node.iter, ast.Tuple):
            self.over_items(node, self.expression(node.iter))
            return
        is_range = isinstance(node.iter, ast.Call) and self.resolved(node.iter.func) is range
        if not is_range or not isinstance(node.target, ast.Name):
            raise LoopError(f"loops go over a range or a tuple, not over `{ast.unparse(node.iter)}`")
        assert isinstance(node.iter, ast.Call)
        step = _step(node.iter)
        numbers = [self.integer(self.expression(argument)) for argument in node.iter.args[:2]]
        start, stop = ("0", numbers[0]) if len(numbers) == 1 else numbers
        counter = self.reserve("i64")
        head, body, following, end = self.label(), self.label(), self.label(), self.label()
        self.do(f"store i64 {start}, ptr {counter}")
        self.jump(head)
        self.place(head)
        k = self.operation(f"load i64, ptr {counter}")
        comparison = "slt" if step > 0 else "sgt"
        self.do(f"br i1 {self.operation(f'icmp {comparison} i64 {k}, {stop}')}, label %{body}, label %{end}")
        self.place(body)
        self.assign(node.target.id, Value(INT, (k,)))
        self.inside(node.body, following, end)
        self.jump(following)
        self.place(following)
        self.do(f"store i64 {self.operation(f'add nsw i64 {k}, {step}')}, ptr {counter}")
        self.jump(head)
        self.place(end)

    def over_items(self, node: ast.For, values: Value) -> None:
        """A loop over a tuple, item by item."""
        end = self.label()
        for item in items_of(values):
            following = self.label()
            self.bind(node.target, item)
            self.inside(node.body, following, end)
            self.jump(following)
            self.place(following)
        self.jump(end)
        self.place(end)

    def _Continue(self, node: ast.Continue) -> None:
        self.leave(self.exits[-1][0])

    def _Break(self, node: ast.Break) -> None:
        self.leave(self.exits[-1][1])

    def _Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.assign("return", self.expression(node.value))
        self.leave("exit")

    def leave(self, label: str) -> None:
        """Jump; what follows in this block is never reached."""
        self.jump(label)
        self.place(self.label())

    # Calls

    def _Call(self, node: ast.Call) -> Value:
        function = node.func
        if isinstance(function, ast.Attribute) and self.is_local(function):
            if function.attr == "copy" and not node.args:
                return self.copy(self.expression(function.value))
            raise LoopError(f"cannot translate `{ast.unparse(node)}`")
        callee = self.resolved(function)
        arguments = [self.expression(argument) for argument in node.args]
        if isinstance(callee, Loop):
            return self.call(callee.python, arguments)
        translate = TRANSLATORS.get(callee)
        if translate is None:
            raise LoopError(f"`{ast.unparse(function)}` cannot be called in a native loop")
        options = {keyword.arg or "": self.resolved(keyword.value) for keyword in node.keywords}
        return translate(self, *arguments, **options)

    def call(self, function: Callable[..., Any], arguments: list[Value]) -> Value:
        """Another native loop."""
        arguments = [
            self.converted(value, argument_type(function, k, value.type)) for k, value in enumerate(arguments)
        ]
        found = self.module.translated(function, tuple(value.type for value in arguments))
        for k in found.written:
            self.written |= arguments[k].roots
        parts = machine_types(found.result)
        kind = f"{{ {', '.join(parts)} }}" if parts else "void"
        listed = ["ptr %arena"]
        for value in arguments:
            typed = zip(machine_types(value.type), value.parts, strict=True)
            listed += [f"{machine} {part}" for machine, part in typed]
        call = f"call fastcc {kind} @{found.name}({', '.join(listed)})"
        if not parts:
            self.do(call)
            return Value(NOTHING, ())
        if has_arrays(found.result):
            self.note_allocation()
        answer = self.operation(call)
        values = tuple(self.operation(f"extractvalue {kind} {answer}, {n}") for n in range(len(parts)))
        return Value(found.result, values, frozenset().union(*(arguments[k].roots for k in found.given)))


def _refuse_else(node: ast.While | ast.For) -> None:
    if node.orelse:
        raise LoopError("loops with `else` are not native")


def _step(node: ast.Call) -> int:
    if len(node.args) < 3:
        return 1
    step = ast.literal_eval(node.args[2])
    if not isinstance(step, int) or not step:
        raise LoopError(f"a step of {ast.unparse(node.args[2])} in `range`: only known ones are possible")
    return step


def _counters(tree: ast.FunctionDef) -> set[str]:
    """Variables that are set by loops over ranges only, which never become negative."""
    stores = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    loops = [
        (node.target.id, node.iter.args)
        for node in ast.walk(tree)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
    ]
    counters: set[str] = set()
    while True:  # a loop may start from the counter of another
        counts = [name for name, arguments in loops if _never_negative(arguments, counters)]
        found = {name for name in counts if stores.count(name) == counts.count(name)}
        if found == counters:
            return counters
        counters = found


def _never_negative(arguments: list[ast.expr], counters: set[str]) -> bool:
    """Whether a range with these arguments has no negative numbers, as far as that is plain."""
    step = ast.unparse(arguments[2]) if len(arguments) == 3 else "1"
    if step == "-1":
        return ast.unparse(arguments[1]) in ("-1", "0")
    return not step.startswith("-") and (len(arguments) == 1 or plainly_positive(arguments[0], counters, {}))
