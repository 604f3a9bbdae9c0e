"""All numbers of a recording over time, by name: those that were recorded, and those that follow from states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import UnknownName
from footfall.recording.reader import Recording
from footfall.robot.model import Robot
from footfall.robot.parts import JointType

_AXES = {
    3: ("x", "y", "z"),
    6: ("fx", "fy", "fz", "tx", "ty", "tz"),
    2: ("right", "left"),
}
_MOST_CURVES = 60  # components of a signal that can be told apart in a plot


class SignalGroup(NamedTuple):
    """time (n,), s. values (n, components). labels: of the components."""

    name: str
    unit: str
    labels: tuple[str, ...]
    time: Array
    values: Array


def signal_groups(recording: Recording) -> dict[str, SignalGroup]:
    """By name: recorded signals, the divergent component of motion, and joints by their names."""
    table, found = recording.signals, {}
    for name, values in table.values.items():
        columns = values.reshape(len(table.time), -1)
        if columns.shape[1] <= _MOST_CURVES:
            labels = component_labels(name, columns.shape[1], moved_joints(recording.robot))
            found[name] = SignalGroup(name, table.units.get(name, ""), labels, table.time, columns)
    if "center" in found:
        found["dcm"] = _divergent_component(recording, found["center"])
    found |= _joints(recording)
    return found


def chosen_groups(groups: dict[str, SignalGroup], names: Sequence[str], source: str) -> list[str]:
    """Names that exist, of names or parts of them: `foot` stands for all that have it in their name."""
    chosen: list[str] = []
    for name in names:
        matches = [name] if name in groups else [each for each in groups if name in each]
        if not matches:
            raise UnknownName("signal", name, groups, f"recording {source!r}")
        chosen += [each for each in matches if each not in chosen]
    return chosen


def component_labels(name: str, count: int, joints: Sequence[str]) -> tuple[str, ...]:
    """What the components of a signal are called. joints: of the robot, that move."""
    if count == 1:
        return (name,)
    if count in _AXES:
        return _AXES[count]
    if "joint" in name and len(joints) == count:
        return tuple(joints)
    return tuple(str(k) for k in range(count))


def moved_joints(robot: Robot) -> list[str]:
    """Names of joints between bodies of a robot, that move."""
    return [j.name for j in robot.joints if j.type not in (JointType.FLOATING, JointType.FIXED)]


def _divergent_component(recording: Recording, center: SignalGroup) -> SignalGroup:
    """xi = c + c_dot / omega with omega = sqrt(g / height), on the ground (Englsberger et al. 2015)."""
    time, values = center.time, center.values
    gravity = float(np.linalg.norm(recording.robot.gravity)) or 9.81
    height = max(float(np.nanmedian(values[:, 2])) if len(values) else 1.0, 0.05)
    rates = np.gradient(values, time, axis=0) if len(time) > 1 else np.zeros_like(values)
    return SignalGroup("dcm", "m", ("x", "y"), time, (values + rates / np.sqrt(gravity / height))[:, :2])


def _joints(recording: Recording) -> dict[str, SignalGroup]:
    robot, found = recording.robot, {}
    for joint in robot.joints:
        place, rate = robot.q_slice(joint.name), robot.v_slice(joint.name)
        if joint.type is JointType.FLOATING:
            values = recording.q[:, place]
            found["base.position"] = SignalGroup(
                "base.position", "m", _AXES[3], recording.time, values[:, :3]
            )
            velocity = recording.v[:, rate][:, :3]
            found["base.velocity"] = SignalGroup("base.velocity", "m/s", _AXES[3], recording.time, velocity)
        elif rate.stop - rate.start == 1:
            unit = "m" if joint.type is JointType.PRISMATIC else "rad"
            for what, given, of in (
                ("position", recording.q[:, place], unit),
                ("velocity", recording.v[:, rate], f"{unit}/s"),
            ):
                name = f"{joint.name}.{what}"
                found[name] = SignalGroup(name, of, (what,), recording.time, given)
            torque = recording.tau[:, rate]
            if np.isfinite(torque).any():
                name = f"{joint.name}.torque"
                found[name] = SignalGroup(
                    name, "N" if unit == "m" else "N m", ("torque",), recording.time, torque
                )
    return found
