"""What turns a textbook function into a public one: batches, checks and native code.

A function decorated with `@algorithm(q="nq", v="nv")` is written for arrays `q` (nq,) and `v` (nv,). Called with
numbers it compiles a kernel for the robot on first use (or finds it in the cache) and also takes batches
(batch, nq). Called inside a trace it is traced along. `function.textbook` is the plain NumPy function.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from footfall.compiler.graph import ACTIVE
from footfall.compiler.kernel import Kernel, build_kernel
from footfall.dynamics.direct_calls import DirectCalls, KnownCall
from footfall.errors import InvalidInput
from footfall.math.formulas import has_formulas, is_formula, taken_in, taken_out

if TYPE_CHECKING:
    from footfall.robot.model import Robot
from footfall.robot.required import require_robot

Shape = tuple[int, ...]
_LOOKED_UP = 16  # calls until one that Python had to look up is remembered anew


class Algorithm:
    """A public function of a robot and arrays; see the module's docstring."""

    if not TYPE_CHECKING:  # a call finds in the instance what native code it may have
        __slots__ = ("__call__", "__dict__", "__weakref__")

    def __init__(self, function: Callable[..., Any], shapes: dict[str, str]) -> None:
        functools.update_wrapper(self, function)
        self.textbook = function
        self.shapes = shapes
        self.signature = inspect.signature(function)
        self.parameters = list(self.signature.parameters.values())[1:]
        self.positions = [p.name for p in self.parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        self.required = tuple(name for name in self.positions if name in shapes)
        self.names = {p.name for p in self.parameters}
        self.static_names = [p.name for p in self.parameters if p.name not in shapes]
        self.variable = {name for name, declared in shapes.items() if "*" in declared}
        self.plain = len(self.required) == len(self.positions) and not self.variable
        self.untraced: dict[tuple[str, str], Callable[..., Any]] = {}
        self.direct: DirectCalls | None = None
        self.looked_up = 0
        self.__call__ = self._called  # type: ignore[method-assign]

    if TYPE_CHECKING:

        def __call__(self, robot: Robot, *arguments: Any, **options: Any) -> Any: ...

    def _called(self, robot: Robot, *arguments: Any, **options: Any) -> Any:
        """Any call that does not reach native code directly."""
        if ACTIVE.get() is not None:
            return self._traced_call(robot, arguments, options)
        if self.plain and not options and len(arguments) == len(self.positions):
            try:
                function = robot.tree.kernels[self]  # a robot among many
            except (KeyError, AttributeError):
                pass  # the first call, or no robot
            else:
                if not any(is_formula(each) or has_formulas(each) for each in arguments):
                    return function(*arguments)
        return self._general_call(robot, arguments, options)

    def __reduce__(self) -> str:
        return self.textbook.__qualname__  # by its name, like any function

    def __repr__(self) -> str:
        return f"<algorithm {self.textbook.__name__}{self.signature}>"

    def answer_untraced(self, function: Callable[..., Any], *, option: str, value: str) -> None:
        """Let a function answer calls with numbers in which an option has that value: for what takes long to compile.

        It gets the other arguments, and gives None where native code shall answer.
        """
        self.untraced[option, value] = function

    def kernel(self, robot: Robot, **options: Any) -> Kernel:
        """The native code for a robot, for binding to arrays or calling directly.

        options: as in a call; a mapping of arrays, such as `wrenches`, may be a tuple of its names.
        """
        return self._kernel(robot, self._shapes(robot, options), self._statics(options))

    def _traced_call(self, robot: Robot, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Run the textbook function inside a trace, where nothing else checks the shapes."""
        given = self.signature.bind(robot, *arguments, **options).arguments
        self._check_kinds(robot, given)
        for label, shape in self._shapes(robot, given).items():
            name, _, key = label.partition("[")
            array = given[name][key[:-1]] if key else given[name]
            if np.shape(array) != shape:
                raise InvalidInput(
                    f"{self.textbook.__name__}: {label} has shape {np.shape(array)}; it must be {shape}"
                )
        return self.textbook(robot, *arguments, **options)

    def _check_kinds(self, robot: Robot, given: Mapping[str, Any]) -> None:
        """Arguments in the wrong places are reported by name."""
        require_robot(self.textbook.__name__, robot)
        for parameter in self.parameters:
            name = parameter.name
            if name not in given:
                continue
            value, declared = given[name], self.shapes.get(name)
            if declared is None:
                if isinstance(value, np.ndarray) or (value is None and parameter.default is parameter.empty):
                    raise TypeError(f"{self.textbook.__name__}: {name} cannot be {type(value).__name__}")
            elif "->" in declared and value is not None and not isinstance(value, (Mapping, tuple, list)):
                raise TypeError(
                    f"{self.textbook.__name__}: {name} must map names to arrays, "
                    f"{{'frame': array}}, not be a {type(value).__name__}"
                )

    def _general_call(self, robot: Robot, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        given = {**dict(zip(self.positions, arguments, strict=False)), **options}
        if len(given) != len(arguments) + len(options) or not options.keys() <= self.names:
            self.signature.bind(robot, *arguments, **options)  # raises what Python would
        self._check_kinds(robot, given)
        if any(is_formula(value) or has_formulas(value) for value in given.values()):
            return self._formula_call(robot, given)
        arrays: list[Any] = []
        kinds: list[Any] = []  # what tells this call's kernel from others
        for name in self.shapes:
            value = given.get(name)
            if isinstance(value, Mapping):
                arrays.extend(value.values())
                kinds.append(tuple(value))
            elif value is not None:
                arrays.append(value)
                kinds.append(np.shape(value) if name in self.variable else True)
            else:
                kinds.append(None)
        statics = [_comparable(given.get(name)) for name in self.static_names]
        key = (self, *kinds, *statics)
        kernel: Kernel | None = robot.tree.kernels.get(key)
        new = kernel is None
        if kernel is None:
            self.signature.bind(robot, *arguments, **options)
            for (option, value), function in self.untraced.items():
                others = {name: given[name] for name in given if name != option}
                if given.get(option) == value and (result := function(robot, **others)) is not None:
                    return result
            kernel = self._kernel(robot, self._shapes(robot, given), self._statics(given))
            robot.tree.kernels[key] = kernel
        result = self._wrap(kernel(*arrays))
        self.looked_up += 1
        if new or self.looked_up % _LOOKED_UP == 0:
            self._remember(robot, arguments, options, kernel)
        return result

    def _formula_call(self, robot: Robot, given: Mapping[str, Any]) -> Any:
        """Run the textbook function on SymPy's expressions."""
        for name, shape in self._shapes(robot, given).items():
            if np.shape(given.get(name, np.empty(shape))) != shape:
                raise InvalidInput(
                    f"{self.textbook.__name__}: {name} has shape {np.shape(given[name])}; it must be {shape}"
                )
        inner = any(has_formulas(value) for value in given.values())
        result = self.textbook(
            robot,
            **{name: taken_in(value) if name in self.shapes else value for name, value in given.items()},
        )
        return result if inner else taken_out(result)

    def _remember(
        self, robot: Robot, arguments: tuple[Any, ...], options: dict[str, Any], kernel: Kernel
    ) -> None:
        """Let calls like this one reach the kernel without Python, see `direct_calls.py`."""
        given = dict(
            zip((*self.positions[: len(arguments)], *options), (*arguments, *options.values()), strict=True)
        )
        if self.plain and not options and len(arguments) == len(self.positions):
            robot.tree.kernels[self] = self._wrapping(kernel)
        for name, value in given.items():
            if name in self.shapes and not isinstance(value, np.ndarray):
                return  # taken apart, or converted, in each call
        places = {name: place for place, name in enumerate(given)}
        arrays = [places[name] for name in self.shapes if name in given]
        sized = [places[name] for name in given if name in self.variable]
        call = KnownCall(robot, arguments, options, arrays, sized, kernel.function, self.result_type)
        if self.direct is None:
            self.direct = DirectCalls(self.textbook.__name__, self._called)
        self.direct.remember(call)
        self.__call__ = self.direct.function  # type: ignore[method-assign]

    def _shapes(self, robot: Robot, given: Mapping[str, Any]) -> dict[str, Shape]:
        """Shape of each array: declared, with `*` taken from the array at hand."""
        sizes = {"nq": robot.nq, "nv": robot.nv}
        shapes: dict[str, Shape] = {}
        for name, declared in self.shapes.items():
            value = given.get(name)
            if "->" in declared:
                length = int(declared.split("->")[1])
                shapes.update({f"{name}[{key}]": (length,) for key in value or ()})
                continue
            if value is None and name not in self.required:
                continue
            words = [word.strip() for word in declared.split(",")]
            actual = np.shape(value)[-len(words) :] if value is not None else ()
            shapes[name] = tuple(
                actual[k] if word == "*" else sizes[word] if word in sizes else int(word)
                for k, word in enumerate(words)
            )
        return shapes

    def _statics(self, given: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
        """Options that are no arrays, in a form that can be compared."""
        return tuple(
            (name, _comparable(value))
            for name, value in sorted(given.items())
            if name not in self.shapes and value is not None
        )

    def _kernel(self, robot: Robot, shapes: dict[str, Shape], statics: tuple[tuple[str, Any], ...]) -> Kernel:
        key = (self, tuple(shapes.items()), statics)
        kernel: Kernel | None = robot.tree.kernels.get(key)
        if kernel is None:
            kernel = build_kernel(
                self._traceable(robot, shapes, dict(statics)),
                {f"x{k}": shape for k, shape in enumerate(shapes.values())},
                name=self.textbook.__name__,
                key=f"{self.textbook.__module__} {robot.fingerprint} {tuple(shapes)!r} {statics!r}",
                module=self.textbook.__module__,
                labels=tuple(shapes),
            )
            # Another thread may have been faster
            kernel = cast(Kernel, robot.tree.kernels.setdefault(key, kernel))
        return kernel

    def _traceable(
        self, robot: Robot, shapes: dict[str, Shape], statics: dict[str, Any]
    ) -> Callable[..., Any]:
        """The textbook function with positional symbols for arrays, mappings put together again."""

        def traced(**symbols: Any) -> Any:
            arguments: dict[str, Any] = dict(statics)
            for label, value in zip(shapes, symbols.values(), strict=True):
                name, _, key = label.partition("[")
                if key:
                    arguments.setdefault(name, {})[key[:-1]] = value
                else:
                    arguments[name] = value
            return self.textbook(robot, **arguments)

        return traced

    @functools.cached_property
    def result_type(self) -> type | None:
        """The named tuple that the function gives, if any."""
        hint = typing.get_type_hints(self.textbook).get("return")
        return hint if isinstance(hint, type) and hasattr(hint, "_fields") else None

    def _wrapping(self, kernel: Kernel) -> Callable[..., Any]:
        """The kernel's bare function, which gives the named tuple where there is one."""
        function, result_type = kernel.function, self.result_type
        if result_type is None:
            return function
        new = functools.partial(tuple.__new__, result_type)  # as `_make` does
        return lambda *arrays: new(function(*arrays))

    def _wrap(self, result: Any) -> Any:
        return result if self.result_type is None else self.result_type(*result)


def _comparable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def algorithm(**shapes: str) -> Callable[[Callable[..., Any]], Algorithm]:
    """Declare the array arguments of a textbook function.

    Shapes are words: `q="nq"`, `factor="nv, nv"`; `*` stands for any length; `wrenches="name -> 6"` for a mapping
    from names to (6,) arrays. All other arguments are static: each value has its own kernel.
    """
    return lambda function: Algorithm(function, shapes)
