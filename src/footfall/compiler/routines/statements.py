"""Statements of routines, and the functions that they make up, as LLVM IR."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.compiler.routines.annotations import hint_of
from footfall.compiler.routines.arrays import Place
from footfall.compiler.routines.expressions import Expressions, signature_of
from footfall.compiler.routines.memory import RAISED
from footfall.compiler.routines.numbers import number_constant
from footfall.compiler.routines.source_analysis import (
    always_fresh,
    counters_of,
    definition,
    gives_something,
    overlaps,
    stores_of,
)
from footfall.compiler.routines.types import (
    DTYPES,
    INT,
    LANES,
    NOTHING,
    WIDTH,
    ArrayType,
    Fixed,
    ListType,
    Number,
    RecordType,
    TupleType,
    Type,
    Value,
    has_lists,
    has_memory,
    items_of,
    machine_types,
    roots_of,
    tuple_of,
)
from footfall.compiler.routines.whole_arrays import Lazy
from footfall.errors import RoutineError

if TYPE_CHECKING:
    from footfall.compiler.routines.module import RoutineModule


# Instructions from which on a function is not merged into those that call it: a call costs some nanoseconds of the many
# that it takes, and merging costs a third of the time to compile.
_LARGE = 350


class Function(Expressions):
    """A function for some types of its arguments."""

    def __init__(self, module: RoutineModule, function: Callable[..., Any], types: tuple[Type, ...]) -> None:
        tree = definition(function)
        self.arguments = list(signature_of(function).parameters)
        names = {**function.__globals__, **_closure(function)}
        self.module, self.function, self.tree = module, function, tree
        self.given = types
        self.line = tree.lineno
        self.exits: list[tuple[str, str]] = []  # of the loops around: labels of continue and break
        super().__init__(names, {*stores_of(tree), *self.arguments}, counters_of(tree), fused=module.fused)

    def declare(self, line: str) -> None:
        self.module.declarations.add(line)

    def table(self, values: np.ndarray[Any, Any]) -> Value:
        if values.dtype.type not in DTYPES:
            raise RoutineError(f"no arrays of {values.dtype} in routines")
        lengths = [str(length) for length in values.shape]
        kind = ArrayType(DTYPES[values.dtype.type], values.ndim)
        return self.array_value(kind, self.module.table(values), lengths)

    def place_in_source(self) -> str:
        return f"{self.function.__code__.co_filename}:{self.line} in {self.function.__name__}"

    def site(self) -> int:
        return self.module.site(self.place_in_source())

    def translate(self) -> None:
        """One pass over the function."""
        self.begin()
        if "return" not in self.types and not gives_something(self.tree):
            self.types["return"], self.roots["return"] = NOTHING, ()
        first = 0
        for name, given in zip(self.arguments, self.given, strict=True):
            machines = machine_types(given)
            numbers = range(first, first + len(machines))
            roots = tuple(
                frozenset([n]) if machine == "ptr" else frozenset[int]()
                for n, machine in zip(numbers, machines, strict=True)
            )
            self.assign(name, Value(given, tuple(f"%a{n}" for n in numbers), roots))
            first += len(machines)
        self.block(self.tree.body)
        self.jump("exit")
        if "return" not in self.types:
            raise RoutineError(f"{self.function.__name__} never returns anything")

    def text(self, name: str, *, linkage: str) -> str:
        """The whole function, after the last pass."""
        result = self.types["return"]
        parts = machine_types(result)
        kind = f"{{ {', '.join(parts)} }}" if parts else "void"
        arguments = [part for given in self.given for part in machine_types(given)]
        listed = ", ".join(["ptr %arena", *(f"{part} %a{n}" for n, part in enumerate(arguments))])
        opening, closing = [], ["exit:"]
        keeps = has_memory(result) or (self.grows and any(has_lists(given) for given in self.given))
        if self.allocates and not keeps:  # nobody sees what it has allocated
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
        merged = "noinline" if len(self.lines) > _LARGE else "inlinehint"
        head = f"define {linkage}fastcc {kind} @{name}({listed}) nounwind {merged} {{"
        return "\n".join([head, *self.stack, *opening, *self.lines, *closing, "}", ""])

    # Statements

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            method = getattr(self, f"_{type(statement).__name__}", None)
            self.line = statement.lineno
            try:
                if method is None:
                    raise RoutineError(f"cannot translate `{ast.unparse(statement)}`")
                method(statement)
            except RoutineError as error:
                if error.located:
                    raise
                self.line = statement.lineno
                raise RoutineError(f"{self.place_in_source()}: {error}", located=True) from error

    def _Pass(self, node: ast.Pass) -> None:
        pass

    def _Assert(self, node: ast.Assert) -> None:
        pass  # for type checkers

    def _Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.expression(node.value)

    def _Assign(self, node: ast.Assign) -> None:
        value = self.lazy(node.value)
        for target in node.targets:
            self.bind(target, value, node.value)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            return
        hint = hint_of(ast.unparse(node.annotation), self.names)
        value = self.new_small(node.value, hint) if isinstance(hint, Fixed) or hint is LANES else None
        if value is None:
            value = self.fitted(self.expression(node.value), hint)
        self.bind(node.target, value, node.value)

    def new_small(self, node: ast.expr, kind: Fixed | Number) -> Value | None:
        """`np.zeros` and the like where a small array is wanted: in registers at once."""
        if not isinstance(node, ast.Call) or self.is_local(node.func):
            return None
        function, shape = self.resolved(node.func), kind.shape if isinstance(kind, Fixed) else ()
        if function is np.eye and len(shape) == 2 and shape[0] == shape[1]:
            numbers = [float(k % (shape[0] + 1) == 0) for k in range(shape[0] ** 2)]
            return self.converted(self.constant_fixed(shape, numbers), kind)
        if function in (np.zeros, np.empty, np.ones):
            one = number_constant(float(function is np.ones))
            if not isinstance(kind, Fixed):
                return self.converted(one, kind)
            return self.converted(self.gathered(shape, [one] * kind.count), kind)
        return None

    def bind(self, target: ast.expr, value: Value | Lazy, source: ast.expr) -> None:
        """Assign to a name, to several, or to a part of an array; source: the expression of the value."""
        if isinstance(target, ast.Name):
            if target.id != "_":  # nobody reads it, and it may be anything
                self.assign(target.id, self.settled(value))
        elif isinstance(target, ast.Tuple):
            items = self.unpacked(self.settled(value), len(target.elts))
            for inner, item in zip(target.elts, items, strict=True):
                self.bind(inner, item, source)
        else:
            self.set_part(target, value, source)

    def unpacked(self, value: Value, count: int) -> list[Value]:
        if isinstance(value.type, ArrayType):
            value = self.loaded(value, Fixed((count,), value.type.element))  # type: ignore[arg-type]
        items = items_of(value)
        if len(items) != count:
            raise RoutineError(f"{len(items)} values for {count} names")
        return items

    def set_part(self, target: ast.expr, value: Value | Lazy, source: ast.expr) -> None:
        """`array[i] = value`, `array[i:j] = values`, `small[i] = value`, `items[i] = value`."""
        if not isinstance(target, ast.Subscript):
            raise RoutineError(
                f"cannot assign to `{ast.unparse(target)}`: records do not change, use _replace"
            )
        place = self.target(target)
        if isinstance(place, Place):
            settled = self.settled(value)
            if isinstance(place.type, Fixed) and isinstance(settled.type, Number):  # `points[i] = 0.0`
                kind = Fixed(place.type.shape, settled.type)
                settled = Value(kind, tuple(n.parts[0] for n in self.spread(settled, kind.shape)))
            self.store(place, settled)
        elif isinstance(place.type, Fixed | Number):
            self.set_number(target, place, self.settled(value))
        else:
            self.put(place, self.kept(value) if overlaps(target, source) else value)

    def target(self, target: ast.Subscript) -> Value | Place:
        """Where to write: a place, a view, or the small array that gets another number."""
        base = self.expression(target.value)
        if isinstance(base.type, Fixed) or base.type is LANES:
            return base
        if isinstance(base.type, ListType):
            return self.list_item(base, target.slice)
        if not isinstance(base.type, ArrayType):
            raise RoutineError(
                f"`{ast.unparse(target.value)}` is {base.type}, which has no elements to assign to"
            )
        indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        if len(indices) > base.type.axes and not isinstance(base.type.element, RecordType):
            base = self.as_numbers(base)
        return self.part(base, indices)

    def set_number(self, target: ast.Subscript, before: Value, value: Value) -> None:
        """Another number in a small array, which is a value: only the variable that holds it changes."""
        name = target.value.id if isinstance(target.value, ast.Name) else ""
        if name not in self.locals or name in self.arguments or not always_fresh(self.tree, name):
            raise RoutineError(
                f"`{ast.unparse(target.value)}` may be known by another name too, which would not see the change: "
                "set elements of small arrays right after they were made, or of a .copy()"
            )
        if before.type is LANES:
            self.assign(name, self.with_lane(before, self.index(target.slice, str(WIDTH)), value))
            return
        indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        self.assign(name, self.replaced(before, [self.fixed_index(index) for index in indices], value))

    def _AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            before, value = self.read(node.target.id), self.lazy(node.value)
            if isinstance(before.type, ArrayType):
                self.change(node.op, before, value)
            else:
                self.assign(node.target.id, self.settled(self.lazy_arithmetic(node.op, before, value)))
            return
        if not isinstance(node.target, ast.Subscript):
            raise RoutineError(f"cannot assign to `{ast.unparse(node.target)}`")
        place = self.target(node.target)
        value = self.lazy(node.value)
        if isinstance(place, Place):
            self.store(place, self.settled(self.lazy_arithmetic(node.op, self.load(place), value)))
        elif isinstance(place.type, Fixed | Number):
            before = self.expression(node.target)
            self.set_number(node.target, place, self.arithmetic(node.op, before, self.settled(value)))
        else:
            self.change(node.op, place, self.kept(value) if overlaps(node.target, node.value) else value)

    def _Raise(self, node: ast.Raise) -> None:
        """An error of a known class with a known message."""
        call = node.exc
        if not isinstance(call, ast.Call) or not all(isinstance(a, ast.Constant) for a in call.args):
            raise RoutineError("routines raise errors with a message that is known beforehand")
        kind = self.resolved(call.func)
        message = "".join(str(a.value) for a in call.args if isinstance(a, ast.Constant))
        self.fail(RAISED + self.module.error(kind, message), str(self.site()))
        self.place(self.label())

    def _If(self, node: ast.If) -> None:
        known = self.known_condition(node.test)
        if known is not None:
            self.block(node.body if known else node.orelse)
            return
        then, other, end = self.label(), self.label(), self.label()
        self.branch(self.condition(node.test), then, other)
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
        self.branch(self.condition(node.test), body, end)
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
        counted, iterables = False, [node.iter]
        if isinstance(node.iter, ast.Call) and not self.is_local(node.iter.func):
            function = self.resolved(node.iter.func)
            if function is range:
                self.over_range(node, node.iter)
                return
            if function in (enumerate, zip):
                counted, iterables = function is enumerate, node.iter.args
        values = [self.expression(iterable) for iterable in iterables]
        if all(isinstance(value.type, TupleType | Fixed) for value in values):
            self.over_items(node, values, counted=counted)
        else:
            self.over_elements(node, values, counted=counted)

    def over_range(self, node: ast.For, call: ast.Call) -> None:
        step = self.step(call)
        numbers = [self.integer(self.expression(argument)) for argument in call.args[:2]]
        start, stop = ("0", numbers[0]) if len(numbers) == 1 else numbers
        self.counted(node, start, stop, step, lambda k: Value(INT, (k,)))

    def over_elements(self, node: ast.For, values: list[Value], *, counted: bool) -> None:
        """A loop over the elements of arrays and lists, side by side."""
        lengths = []
        for value in values:
            if isinstance(value.type, ListType):
                lengths.append(self.list_length(value))
            elif isinstance(value.type, ArrayType):
                lengths.append(value.parts[1])
            else:
                raise RoutineError(f"loops go over ranges, arrays, lists and tuples, not over {value.type}")
        stop = lengths[0]
        for length in lengths[1:]:
            stop = self.intrinsic("smin.i64", "i64", stop, length)

        def item(k: str) -> Value:
            items = [self.element_at(value, k) for value in values]
            return _side_by_side([Value(INT, (k,)), *items] if counted else items)

        self.counted(node, "0", stop, 1, item)

    def element_at(self, value: Value, k: str) -> Value:
        if isinstance(value.type, ListType):
            return self.load(self.list_place(value, k))
        assert isinstance(value.type, ArrayType)
        if value.type.axes == 1:
            return self.load(self.at(value, k))
        rest = value.parts[2:]
        row = self.operation(f"mul nsw i64 {k}, {self.elements_in(rest)}")
        place = self.at(value, row)
        return self.array_value(ArrayType(value.type.element, len(rest)), place.address, rest, place.roots)

    def counted(self, node: ast.For, start: str, stop: str, step: int, item: Callable[[str], Value]) -> None:
        """A loop with a counter of its own: what the body does to its variable does not disturb it."""
        counter = self.reserve("i64")
        head, body, following, end = self.label(), self.label(), self.label(), self.label()
        self.do(f"store i64 {start}, ptr {counter}")
        self.jump(head)
        self.place(head)
        k = self.operation(f"load i64, ptr {counter}")
        comparison = "slt" if step > 0 else "sgt"
        self.do(f"br i1 {self.operation(f'icmp {comparison} i64 {k}, {stop}')}, label %{body}, label %{end}")
        self.place(body)
        self.bind(node.target, item(k), node.iter)
        self.inside(node.body, following, end)
        self.jump(following)
        self.place(following)
        self.do(f"store i64 {self.operation(f'add nsw i64 {k}, {step}')}, ptr {counter}")
        self.jump(head)
        self.place(end)

    def over_items(self, node: ast.For, values: list[Value], *, counted: bool) -> None:
        """A loop over tuples or small vectors, side by side, item by item; what is known of a tuple's ints, or of the
        numbers of items, is known in the body."""
        rows = [items_of(value) for value in values]
        if len({len(row) for row in rows}) > 1:
            raise RoutineError(f"{', '.join(str(len(row)) for row in rows)} items side by side")
        end = self.label()
        name, known = self.known_items(node, len(rows[0]), counted=counted)
        for k, items in enumerate(zip(*rows, strict=True)):
            following = self.label()
            numbered = [number_constant(k), *items] if counted else [*items]
            self.bind(node.target, _side_by_side(numbered), node.iter)
            if known:
                self.fixed[name] = known[k]
            self.inside(node.body, following, end)
            self.jump(following)
            self.place(following)
        self.fixed.pop(name, None)
        self.jump(end)
        self.place(end)

    def known_items(self, node: ast.For, count: int, *, counted: bool) -> tuple[str, list[int]]:
        """The variable whose value is known in the body of a loop, which does not change it, and its values."""
        target: ast.expr = (
            node.target.elts[0] if counted and isinstance(node.target, ast.Tuple) else node.target
        )
        if not isinstance(target, ast.Name):
            return "", []
        items: list[int | None] = list(range(count))
        if not counted:
            items = (
                [self.known_int(item) for item in node.iter.elts] if isinstance(node.iter, ast.Tuple) else []
            )
        stored = {
            inner.id
            for statement in node.body
            for inner in ast.walk(statement)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
        }
        known = [item for item in items if item is not None]
        return target.id, known if len(known) == count and target.id not in stored else []

    def step(self, node: ast.Call) -> int:
        if len(node.args) < 3:
            return 1
        step = self.known_int(node.args[2])
        if not step:
            raise RoutineError(
                f"a step of {ast.unparse(node.args[2])} in `range`: only known ones are possible"
            )
        return step

    def _Continue(self, node: ast.Continue) -> None:
        self.leave(self.exits[-1][0])

    def _Break(self, node: ast.Break) -> None:
        self.leave(self.exits[-1][1])

    def _Return(self, node: ast.Return) -> None:
        if node.value is not None:
            hint = hint_of(self.function.__annotations__.get("return"), self.names)
            self.assign("return", self.fitted(self.expression(node.value), hint))
        self.leave("exit")

    def leave(self, label: str) -> None:
        """Jump; what follows in this block is never reached."""
        self.jump(label)
        self.place(self.label())

    # Calls

    def call(self, function: Callable[..., Any], arguments: list[Value]) -> Value:
        """Another routine, or a plain function that is translated like one."""
        arguments = [self.fitted_argument(function, k, value) for k, value in enumerate(arguments)]
        found = self.module.translated(function, tuple(value.type for value in arguments))
        flat = [roots for value in arguments for roots in roots_of(value)]
        for k in found.written:
            self.written |= flat[k]
        if found.grows:
            self.note(
                allocates=True, grows=any(all_roots for value in arguments for all_roots in roots_of(value))
            )
        parts = machine_types(found.result)
        kind = f"{{ {', '.join(parts)} }}" if parts else "void"
        listed = ["ptr %arena"]
        for value in arguments:
            typed = zip(machine_types(value.type), value.parts, strict=True)
            listed += [f"{machine} {part}" for machine, part in typed]
        call = f"call fastcc {kind} @{found.name}({', '.join(listed)})"
        values: tuple[str, ...] = ()
        if parts:
            answer = self.operation(call)
            values = tuple(self.operation(f"extractvalue {kind} {answer}, {n}") for n in range(len(parts)))
        else:
            self.do(call)
        if has_memory(found.result):
            self.note(allocates=True)
        if found.fails:
            self.leave_if_failed()
        roots = tuple(frozenset[int]().union(*(flat[k] for k in given)) for given in found.given)
        return Value(found.result, values, roots)


def _side_by_side(values: list[Value]) -> Value:
    return values[0] if len(values) == 1 else tuple_of(values)


def _closure(function: Callable[..., Any]) -> dict[str, Any]:
    """Values of the names that a function has from the function around it."""
    cells = function.__closure__ or ()
    return {name: cell.cell_contents for name, cell in zip(function.__code__.co_freevars, cells, strict=True)}


def _refuse_else(node: ast.While | ast.For) -> None:
    if node.orelse:
        raise RoutineError("loops with `else` are not possible in routines")
