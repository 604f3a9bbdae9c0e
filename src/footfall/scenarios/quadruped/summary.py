"""What a run comes to, in numbers, and whether it went as it must, Ayit 2015, chapter 5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.scenarios.quadruped.run import Run

_GRAVITY = 9.81  # m/s2
_END = 0.5  # s at the end over which forces are averaged


@dataclass(frozen=True)
class Summary:
    """A run in numbers.

    duration: s that it lasted. distance, drift: of the torso along x and y, m. end_height, top_height: of the torso, m.
    tilt: largest roll or pitch, rad. upside_down: at the end. peak_force: largest normal force on a foot, N.
    step_impulse: largest normal impulse on a foot in one step, N s; it does not depend on the step, peaks do.
    total_impulse: of all normal forces, N s. load: mean normal force at the end over the weight. penetration: deepest,
    m. rest_penetration: at the end, m. residual: largest change of impulses in the last sweep over weight times dt.
    unsolved: part of the steps with more than 1e-8 of that. sweeps: mean. energy_growth: largest rise of the energy
    less the actuators' work, J. contact_work: of the contacts, J, never positive. contact_growth: its largest rise, J.
    """

    duration: float
    distance: float
    drift: float
    yaw: float
    end_height: float
    top_height: float
    tilt: float
    upside_down: bool
    peak_force: float
    step_impulse: float
    total_impulse: float
    load: float
    penetration: float
    rest_penetration: float
    residual: float
    unsolved: float
    sweeps: float
    energy_growth: float
    contact_work: float
    contact_growth: float
    real_time_factor: float
    diverged: str | None


def summarise(run: Run) -> Summary:
    """The numbers of a run."""
    path, dt = run.trajectory, run.scenario.step.dt
    weight = run.robot.mass * _GRAVITY
    normal = path.forces[:, :, 2]
    energies = run.energies()
    late = path.time > path.time[-1] - _END
    depth = np.maximum(-path.positions[:, :, 2], 0.0)
    residual = path.residual / (weight * dt)
    q = path.q
    return Summary(
        duration=float(path.time[-1]),
        distance=float(q[-1, 0] - run.start[0]),
        drift=float(q[-1, 1] - run.start[1]),
        yaw=float(run.angles[-1, 2]),
        end_height=float(q[-1, 2]),
        top_height=float(q[:, 2].max()),
        tilt=float(np.abs(run.angles[:, :2]).max()),
        upside_down=bool(_upright(q[-1:, 3:7])[0] < 0.0),
        peak_force=float(normal.max()),
        step_impulse=float(normal.max() * dt),
        total_impulse=float(normal.sum() * dt),
        load=float(normal[late].sum(axis=1).mean() / weight),
        penetration=float(depth.max()),
        rest_penetration=float(depth[-1].max()),
        residual=float(residual.max()),
        unsolved=float(np.mean(residual > 1e-8)),
        sweeps=float(path.solver_steps.mean()),
        energy_growth=_growth(energies.energy - energies.actuator_work),
        contact_work=float(energies.contact_work[-1]),
        contact_growth=_growth(energies.contact_work),
        real_time_factor=run.real_time_factor,
        diverged=run.diverged,
    )


def fall_failures(run: Run, *, energy_tolerance: float = 0.02) -> list[str]:
    """What of the success criterion of a fall, Ayit 2015, chapter 5 (i)-(v), a run does not meet; empty if it succeeds.

    energy_tolerance: growth, as part of the energy of the fall, that is left to the integrator: it shrinks with the
    step.
    """
    summary, fall = summarise(run), run.scenario.fall
    assert fall is not None
    failures = []
    if run.diverged is not None or not np.isfinite(run.trajectory.q).all():
        failures.append(f"(i) {run.diverged}")
    if summary.top_height > run.start[2] + 1e-9:
        failures.append(f"(ii) the body rises to {summary.top_height:.4g} m, {run.start[2]:.4g} m at release")
    energy = run.robot.mass * _GRAVITY * fall.height
    if summary.energy_growth > energy_tolerance * energy:
        failures.append(f"(iii) energy less actuator work grows by {summary.energy_growth:.3g} J")
    speed = float(np.sqrt(2 * _GRAVITY * fall.height))
    if summary.penetration > speed * run.scenario.step.dt:
        failures.append(f"(iv) penetration {summary.penetration:.3g} m, more than a step at {speed:.3g} m/s")
    if not abs(summary.load - 1.0) < 0.01:
        failures.append(f"(v) at the end the ground carries {summary.load:.4g} of the weight")
    return failures


def _upright(quaternions: Array) -> Array:
    """Upward component (n,) of the torso's z axis."""
    _, x, y, _ = quaternions.T
    return np.asarray(1 - 2 * (x * x + y * y))


def _growth(course: Array) -> float:
    """Largest rise of a course above its lowest value before."""
    return float((course - np.minimum.accumulate(course)).max())
