"""Two worked examples of the textbook: several tasks at once, and four ways to turn a wrist.

python examples/rotation_paths.py [picture.png]
"""

import sys

import numpy as np

import footfall
from footfall.compiler import build_kernel
from footfall.ik import build_ik, solve_velocity, solve_velocity_textbook
from footfall.math import (
    angular_velocity_map,
    boxminus,
    geodesic_angle,
    matrix_from_euler,
    parameters_from_matrix,
    rotation_rate_map,
)
from footfall.tasks import frame_position, posture

# A planar arm whose tip should move with (1, 1) m/s while its first two joints stand still: both cannot be.
arm = footfall.load("planar-arm")
q = np.array([np.pi / 6, np.pi / 3, np.pi / 3])
tip = frame_position(arm.frame_names[0], np.zeros(3), rows="xz", gains=0.0, rate=np.ones(2))
still = {joint.name: 0.0 for joint in arm.joints[:2]}
both = build_ik(arm, q, [tip, posture(arm, still, gains=0.0)])
ranked = build_ik(arm, q, [tip, posture(arm, still, gains=0.0, priority=1)])
print("an arm moves its tip and keeps two joints still: joint rates, and what is missed of tip and joints")
for name, v in {
    "tip only": solve_velocity(build_ik(arm, q, [tip])),
    "equal": solve_velocity_textbook(both),
    "tip first": solve_velocity(ranked),
}.items():
    left = both.rate - both.jacobian @ v
    print(f"{name:10} {v.round(3)} squared errors {left[:2] @ left[:2]:.4f} {left[2:] @ left[2:]:.4f}")

# A wrist turns about z, y and x. What counts as the error of its orientation decides the path that it takes.
START, GOAL = np.array([-0.7, 0.0, 1.5]), matrix_from_euler("zyx", np.array([0.7, 1.5, -0.5]))
COLORS = {"zyx": "blue", "xyz": "black", "rotation_vector": "red", "rotation error": "green"}
GAIN, CLOSE, MOST = 0.001, 0.01, 10000


def path_of(kind):
    """Joint angles on the way to the goal, and the length of the way on the rotations, rad."""

    def iteration(q):
        now = matrix_from_euler("zyx", q)
        if kind == "rotation error":
            turning = error = boxminus(GOAL, now)
        else:
            parameters = parameters_from_matrix(kind, now)
            error = parameters_from_matrix(kind, GOAL) - parameters
            turning = angular_velocity_map(kind, parameters) @ error
        after = q + GAIN * rotation_rate_map("zyx", q) @ turning  # the wrist's Jacobian is that of zyx angles
        way = geodesic_angle(now, matrix_from_euler("zyx", after))
        return {"q": after, "figures": np.array([np.sqrt(error @ error), way])}

    path, figures = build_kernel(iteration, {"q": 3}).rollout(START, steps=MOST)
    count = int(np.argmax(figures[0, :, 0] < CLOSE)) + 1
    return path[0, :count], figures[0, :count, 1].sum()


paths = {kind: path_of(kind) for kind in COLORS}
print("a wrist turns to the same orientation, with its error told in four ways")
for kind, (path, length) in paths.items():
    print(f"{kind:15} {len(path)} iterations, way {length:.4f} rad, ends at {path[-1].round(4)}")

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")  # draws without a screen
    from matplotlib import pyplot

    axes = pyplot.figure(figsize=(7, 7)).add_subplot(projection="3d")
    for kind, (path, _) in paths.items():
        frames = np.array([matrix_from_euler("zyx", angles) for angles in path[::50]])
        for axis in range(3):
            axes.plot(*frames[:, :, axis].T, color=COLORS[kind], label=kind if axis == 0 else None)
    for frame, color in ((matrix_from_euler("zyx", START), "blue"), (GOAL, "red")):
        for axis in frame.T:
            axes.plot(*np.array([np.zeros(3), axis]).T, color=color, linewidth=2)
    axes.set_box_aspect((1, 1, 1))
    axes.legend()
    pyplot.savefig(sys.argv[1], dpi=120)
    print("drawn to", sys.argv[1])
