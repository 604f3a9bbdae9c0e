"""What drives must give against what they can: permanent, peak and a load on the hands (Seiwald 2023, 3.4)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.model import JointType, Robot

# What people give: interaction forces of 95 % of men times arm lengths, N m at the joint, Seiwald 2023, section 3.4.
HUMAN_TORQUE: Mapping[str, float] = MappingProxyType({"af": 61.0, "aa": 30.0, "ar": 34.0, "ef": 49.0})


@dataclass(frozen=True, slots=True)
class TorqueRow:
    """A joint of the report, all in N m. weight: to hold the robot up. hands: greatest amount by which the forces on
    the hands change that. load: greatest amount of both together. permanent, peak: what the drive has for this joint
    alone. motor_share: of the motors' permanent torque that the worst load needs; above one it cannot last.
    human: what a person gives, NaN where unknown.
    """

    joint: str
    weight: float
    hands: float
    load: float
    permanent: float
    peak: float
    motor_share: float
    human: float

    @property
    def lasts(self) -> bool:
        """Whether the motors can hold the load for ever."""
        return self.motor_share <= 1.0


def torque_report(
    drives: DriveSet,
    q: Array,
    gravity_forces: Array,
    hand_jacobians: Mapping[str, Array],
    *,
    support_jacobians: Mapping[str, Array] = MappingProxyType({}),
    force: float = 100.0,
) -> tuple[TorqueRow, ...]:
    """Every driven joint under its weight and under forces on the hands, in the worst of all directions along axes.

    gravity_forces (nv,): torques that hold the robot, from `footfall.gravity_forces(robot, q)`. hand_jacobians: frame
    -> (6, nv), from `footfall.frame_jacobian(robot, q, frame)`. support_jacobians: the same for the feet that bear a
    floating robot, with the least wrenches that do; without any it hangs on its base. force: N on each hand along each
    axis of the world at once.
    """
    robot = drives.robot
    if not (np.isfinite(force) and force >= 0.0):
        raise InvalidInput(f"force is {force} N; it must be finite, at least 0")
    if np.shape(gravity_forces) != (robot.nv,):
        raise InvalidInput(f"gravity_forces has shape {np.shape(gravity_forces)}; it must be ({robot.nv},)")
    for frame, jacobian in (*hand_jacobians.items(), *support_jacobians.items()):
        if frame not in robot.frame_names:
            raise UnknownName("frame", frame, robot.frame_names, f"robot {robot.name!r}")
        if np.shape(jacobian) != (6, robot.nv):
            raise InvalidInput(
                f"the Jacobian of {frame!r} has shape {np.shape(jacobian)}; it must be (6, {robot.nv})"
            )
    rows = np.concatenate([jacobian[:3] for jacobian in hand_jacobians.values()] or [np.zeros((0, robot.nv))])
    weights, rows = _supported(robot, np.asarray(gravity_forces), rows, list(support_jacobians.values()))
    report = []
    for drive in drives:
        here = [robot.q_slice(name).start for name in drive.joints]
        there = [robot.v_slice(name).start for name in drive.joints]
        position, weight = q[here], weights[there]
        # The robot bears the forces: its torques are J^T times their negatives, so all signs are tried.
        changes = _corners(force * rows[:, there])
        worst = max(
            np.abs(drive.mechanism.motor_torque(position, weight + change)).max() for change in changes
        )
        permanent, peak = drive.permanent_joint_torque(position), drive.peak_joint_torque(position)
        for k, name in enumerate(drive.joints):
            hands = float(np.abs(changes[:, k]).max())
            report.append(
                TorqueRow(
                    joint=name,
                    weight=float(weight[k]),
                    hands=hands,
                    load=abs(float(weight[k])) + hands,
                    permanent=float(permanent[k]),
                    peak=float(peak[k]),
                    motor_share=float(worst) / drive.motor.permanent_torque,
                    human=HUMAN_TORQUE.get(name[:-1], float("nan")),
                )
            )
    return tuple(report)


def _supported(robot: Robot, weights: Array, rows: Array, supports: list[Array]) -> tuple[Array, Array]:
    """Torques (nv,) and rows (m, nv) after wrenches at the supports have taken what acts on the floating base."""
    if not supports:
        return weights, rows
    base = robot.v_slice(robot.joints[0].name)
    if robot.joints[0].type is not JointType.FLOATING:
        raise InvalidInput(f"robot {robot.name!r} has no floating base; it needs no support_jacobians")
    support = np.concatenate(supports)
    carried = np.linalg.pinv(support[:, base].T)
    return weights - support.T @ (carried @ weights[base]), rows - rows[:, base] @ carried.T @ support


def _corners(rows: Array) -> Array:
    """Sums (corners, n) of the rows (m, n) with all combinations of signs; rows without effect are left out."""
    effective = rows[np.abs(rows).max(axis=1, initial=0.0) > 0.0]
    if len(effective) == 0:
        return np.zeros((1, rows.shape[1]))
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=len(effective))))
    result: Array = signs @ effective
    return result


def report_text(report: tuple[TorqueRow, ...]) -> str:
    """The report as a Markdown table."""
    lines = [
        "| joint | weight | hands | load | permanent | peak | motor share | human |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in report:
        human = "" if np.isnan(row.human) else f"{row.human:.0f}"
        lines.append(
            f"| {row.joint} | {row.weight:.1f} | {row.hands:.1f} | {row.load:.1f} | {row.permanent:.0f} "
            f"| {row.peak:.0f} | {row.motor_share:.2f} | {human} |"
        )
    return "\n".join(lines)
