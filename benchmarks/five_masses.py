"""How well do five masses explain the torques of a robot that walks, and which shares of mass explain them best?

The source fitted the shares of feet and hands to a simulated straight walk by a particle swarm (Seiwald 2023, section
4.5.2: 11 % and 2 %). Here the whole robot walks in closed loop, and shares and inertia are found by least squares.

python benchmarks/five_masses.py [--output benchmarks/five_masses.md]
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.signal import savgol_filter

from footfall.arrays import Array
from footfall.dynamics.center_of_mass import center_of_mass
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import MotionWarning
from footfall.gait.poses import HANDS
from footfall.math.rotations import quaternion_from_matrix
from footfall.motion.limbs import Limbs, contact_wrench, torso_motion
from footfall.motion.mass_fit import fit_masses
from footfall.motion.model_derivation import reduced_model
from footfall.motion.reduced_model import ReducedModel
from footfall.walking import WalkRequest, walk
from footfall.walking.body import FEET
from footfall.walking.walk import Walk

WALKS = {
    "straight": WalkRequest(scene="flat", route="straight"),
    "curve": WalkRequest(scene="flat", route="curve"),
    "sideways": WalkRequest(scene="flat", route="sideways"),
    "turn": WalkRequest(scene="flat", route="turn"),
}
# ms and degree of the polynomials that smooth what was recorded and give its derivatives.
WINDOW, ORDER = (
    61,
    4,
)


def smooth(values: Array, period: float, derivative: int = 0) -> Array:
    return np.asarray(savgol_filter(values, WINDOW, ORDER, deriv=derivative, delta=period, axis=0))


def recorded(done: Walk) -> tuple[Limbs, Array, Array]:
    """Limbs, centre of mass (3, k, 3) with derivatives, and torque of the ground about the world's origin (k, 3)."""
    walker = done.walker
    robot, model, period = walker.code.body.robot, walker.code.body.model, walker.gains.period
    q = np.ascontiguousarray(walker.log.q[:, : robot.nq])
    names = [model.frames[name] for name in (*FEET, *HANDS, "UB")]
    poses = forward_kinematics(robot, q, frames=tuple(names))

    def motion(values: Array) -> Array:
        return np.stack([smooth(values, period, derivative) for derivative in (0, 1, 2)])

    feet_and_hands = [motion(poses.position[:, k]) for k in range(4)]
    quaternion = np.array([quaternion_from_matrix(rotation) for rotation in poses.rotation[:, 4]])
    count = len(q)
    always = np.stack([np.ones((count, 1)), np.zeros((count, 1)), np.zeros((count, 1))])
    spin = np.zeros((count, 3))
    rotation = poses.rotation[:, 4]
    rate = smooth(rotation.reshape(count, 9), period, 1).reshape(count, 3, 3)
    turning = rate @ np.swapaxes(rotation, 1, 2)  # the matrix of the cross product with the angular velocity
    for i, (a, b) in enumerate(((2, 1), (0, 2), (1, 0))):
        spin[:, i] = turning[:, a, b]
    torque = np.zeros((count, 3))
    for k, foot in enumerate(("right_foot", "left_foot")):
        wrench = walker.log.signals[foot]
        torque += np.cross(poses.position[:, k], wrench[:, :3]) + wrench[:, 3:]
    limbs = Limbs(
        *feet_and_hands, always, always, np.zeros((count, 12)), quaternion, spin, smooth(spin, period, 1)
    )
    return limbs, motion(center_of_mass(robot, q)), smooth(torque, period)


def errors(model: ReducedModel, recording: tuple[Limbs, Array, Array]) -> Array:
    """Root mean square of the torque's error (3,), N m."""
    limbs, centre, torque = recording
    found = contact_wrench(limbs, torso_motion(limbs, centre, model), model).torque
    return np.asarray(np.sqrt(np.mean((found - torque) ** 2, axis=0)))


def line(name: str, model: ReducedModel, recordings: dict[str, tuple[Limbs, Array, Array]]) -> str:
    """Errors as a shift of the zero-moment point, mm, and as a torque about the vertical, N m."""
    weight = model.mass * model.gravity
    cells = []
    for recording in recordings.values():
        about_x, about_y, about_z = errors(model, recording)
        cells.append(f"{1e3 * about_y / weight:.1f}, {1e3 * about_x / weight:.1f}, {about_z:.1f}")
    shares = f"{100 * model.foot_share:.1f}, {100 * model.hand_share:.1f}"
    return f"| {name} | {shares} | " + " | ".join(cells) + " |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--output", type=Path)
    given = options.parse_args()
    warnings.simplefilter("ignore", MotionWarning)
    recordings, robot, published = {}, None, None
    for name, request in WALKS.items():
        done = walk(request)
        robot, published = done.walker.code.body.robot, done.walker.code.body.model
        recordings[name] = recorded(done)
    assert robot is not None
    assert published is not None
    fit = fit_masses(published, *recordings["straight"])
    shares_only = fit_masses(published, *recordings["straight"], with_inertia=False)
    nothing = replace(published, foot_share=0.0, hand_share=0.0)
    models = {
        "one mass and the torso's inertia": nothing,
        "published (Seiwald 2023)": published,
        "from the description, by the lever rule": reduced_model(robot, sole=published.sole),
        "shares fitted to the straight walk": shares_only.model,
        "shares and inertia fitted to it": fit.model,
    }
    rows = [
        "# Five masses against the whole robot",
        "",
        "LOLA walks in closed loop; what the ground exerts on it is compared with what five masses that move as its",
        "feet, hands and centre of mass do would need. Errors, root mean squares: of the zero-moment point ahead and",
        "aside, mm, and of the torque about the vertical, N m. Shares: of the mass, a foot and a hand, %.",
        f"Recordings are smoothed over {WINDOW} ms. Fitted to the straight walk alone; the others are a test.",
        "",
        "| masses | shares | " + " | ".join(recordings) + " |",
        "|---|---|" + "---|" * len(recordings),
        *(line(name, model, recordings) for name, model in models.items()),
        "",
        f"The straight walk leaves {shares_only.error_before:.2f} N m with the published shares, "
        f"{shares_only.error:.2f} with fitted ones and {fit.error:.2f} with fitted inertia too; deviations of the "
        f"shares: {100 * fit.deviations[0]:.2f} and {100 * fit.deviations[1]:.2f} %.",
        "",
    ]
    text = "\n".join(rows)
    print(text)
    if given.output:
        given.output.write_text(text)


if __name__ == "__main__":
    main()
