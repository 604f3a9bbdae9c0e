"""Controls for the options of a signal, made from its type: units, limits, choices and defaults."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.inspect import (
    BoolType,
    FloatType,
    IntType,
    LiteralType,
    StrType,
    TupleType,
    UnionType,
    type_info,
)

from footfall.errors import InvalidInput
from footfall.gait.plan_file import plan_names
from footfall.viewer.docks.dock import as_text, read_json
from footfall.walking.session import WalkSession
from footfall.walking.signals import WORDS, made_signal

if TYPE_CHECKING:
    from footfall.viewer.walk_panel import WalkPanel

_DEGREES = ("yaw", "angle", "pan", "offset", "amplitude")  # which are in rad in signals
_UNITS = {
    "forward": "m/s",
    "left": "m/s",
    "turn": "rad/s",
    "x": "m",
    "y": "m",
    "distance": "m",
    "longest": "m",
    "hold": "s",
    "seconds": "s",
    "lift": "m",
    "position": "m",
    "size": "m",
    "slack": "m",
    "force": "N",
    "torque": "Nm",
    "mass": "kg",
    "stiffness": "N/m",
    "damping": "N s/m",
    "first": "Hz",
    "last": "Hz",
}
_LARGEST_NUMBER = 1e4
# What a form begins with, where a signal has no default of its own.
_EXAMPLES: dict[str, Any] = {
    "distance": 1.0,
    "x": 2.0,
    "position": (0.0, 0.0, 0.0),
    "force": (0.0, 60.0, 0.0),
    "size": (0.3, 0.3, 0.2),
    "mass": 2.0,
    "factor": 1.0,
    "on": True,
}


class SignalForm:
    """The controls of one signal at a time. place: a folder of the page in which they stand."""

    def __init__(self, gui: Any, place: Any) -> None:
        self._gui, self._place = gui, place
        self._about: Any = None
        self.controls: dict[str, Any] = {}  # by option
        self._reads: dict[str, Callable[[Any], Any]] = {}  # of an option: from what its control holds
        self.word = ""

    def show(self, word: str, session: WalkSession) -> None:
        """Have the controls of the signal of this name, with its defaults."""
        kind = WORDS.get(word)
        if kind is None:  # a page may say anything
            return
        for control in (self._about, *self.controls.values()):
            if control is not None:
                control.remove()
        self.controls, self._reads, self.word = {}, {}, word
        with self._place:
            self._about = self._gui.add_html(as_text(" ".join((kind.__doc__ or "").split())))
            for field in msgspec.structs.fields(kind):
                if field.name != "time":
                    default = _EXAMPLES.get(field.name) if field.required else field.default
                    self._add(field.name, field.type, default, _choices(word, field.name, session))

    def signal(self, session: WalkSession) -> Any:
        """The signal as the controls say, of now; refused if they say what cannot be."""
        values = {name: read(self.controls[name].value) for name, read in self._reads.items()}
        given = {name: value for name, value in values.items() if value is not _ABSENT}
        return made_signal(self.word, {"time": session.time, **given})

    def _add(self, name: str, kind: Any, default: Any, choices: Sequence[str]) -> None:
        info, gui, label = type_info(kind), self._gui, _label(name)
        scale = math.degrees(1.0) if name in _DEGREES else 1.0
        match info:
            case BoolType():
                self._keep(name, gui.add_checkbox(label, bool(default)), bool)
            case LiteralType(values=values):
                options = tuple(str(each) for each in values)
                first = str(default) if default in options else options[0]
                self._keep(name, gui.add_dropdown(label, options, initial_value=first), str)
            case FloatType() | IntType():
                self._add_number(name, info, float(default or 0.0) * scale, scale)
            case TupleType(item_types=items) if len(items) == 3:
                at = tuple(float(each) for each in default or (0.0, 0.0, 0.0))
                control = gui.add_vector3(label, at, step=0.01)
                self._keep(name, control, lambda value: [float(each) for each in value])
            case StrType() if choices:
                first = default if default in choices else choices[0]
                self._keep(name, gui.add_dropdown(label, tuple(choices), initial_value=first), str)
            case StrType():
                self._keep(name, gui.add_text(label, str(default or "")), str)
            case UnionType() | _:
                text = "" if default is None else json.dumps(default)
                control = gui.add_text(label, text, hint="a number, or nothing: as it is")
                self._keep(name, control, _typed if name == "value" else lambda text: _optional(text, scale))

    def _add_number(self, name: str, info: FloatType | IntType, value: float, scale: float) -> None:
        whole = isinstance(info, IntType)
        low = info.ge if info.ge is not None else info.gt
        high = info.le if info.le is not None else info.lt
        bounds = (
            -_LARGEST_NUMBER if low is None else low * scale,
            min(_LARGEST_NUMBER if high is None else high * scale, 1e4),
        )
        control = self._gui.add_number(
            _label(name),
            int(value) if whole else round(value, 4),
            min=int(bounds[0]) if whole else round(bounds[0], 4),
            max=int(bounds[1]) if whole else round(bounds[1], 4),
            step=1 if whole else 1.0 if scale != 1.0 else 0.01,
        )
        self._keep(name, control, (lambda each: int(each)) if whole else (lambda each: float(each) / scale))

    def _keep(self, name: str, control: Any, read: Callable[[Any], Any]) -> None:
        self.controls[name], self._reads[name] = control, read


_ABSENT = object()


def _typed(text: Any) -> Any:
    return read_json(str(text))


def _optional(text: Any, scale: float) -> Any:
    """A number, or nothing, which leaves an option out."""
    if not str(text).strip():
        return _ABSENT
    number = _typed(text)
    if not isinstance(number, (int, float)):
        raise InvalidInput(f"{text!r} is no number")
    return number / scale


def _label(name: str) -> str:
    unit = "degrees" if name in _DEGREES else _UNITS.get(name, "")
    return f"{name}, {unit}" if unit else name


def _choices(word: str, name: str, session: WalkSession) -> Sequence[str]:
    """What an option may be called, where that is known."""
    body = session.code.body
    match word, name:
        case (("joint" | "sweep" | "feed_velocity"), "name"):
            return body.joint_names if word == "sweep" else (*body.joint_names, "all")
        case "set", "name":
            return tuple(session.parameters)
        case _, "body":
            return tuple(each.name for each in body.robot.bodies)
        case _, "plan":
            return plan_names()
        case _, "object":
            names = tuple(each.name for each in session.walker.scene.fixed_objects)
            return (*(("all",) if word == "surface" else ()), *names)
    return ()


def send_form(form: SignalForm, panel: WalkPanel) -> None:
    """Let the thread that walks send what the form says."""
    panel.wish(lambda session: session.send(form.signal(session)))
