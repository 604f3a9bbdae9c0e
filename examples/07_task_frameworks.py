"""Four ways to specify tasks, told in the words of this package: each ends in the same constraints and solver.

Task frame formalism, operational space control, stack of tasks and iTaSC, on a redundant arm. Every function prints
how far the result is from the framework's own formula.
"""

import numpy as np

import footfall
from footfall import Transform
from footfall.control import MovingFrame
from footfall.hybrid import solve_tasks, task_state
from footfall.math import rotation_x, rotation_z
from footfall.tasks import AxisGoal, FrameTask, parse_tasks

robot = footfall.load("arm-7r")
hand = robot.bodies[-1].name
rng = np.random.default_rng(4)
q, v = rng.normal(size=robot.nq), 0.3 * rng.normal(size=robot.nv)
mass, bias = footfall.mass_matrix(robot, q), footfall.bias_forces(robot, q, v)
jacobian = footfall.frame_jacobian(robot, q, hand)
drift = footfall.frame_acceleration(robot, q, v, np.zeros(robot.nv), hand)


def task_frame_formalism():
    """Mason, De Schutter: in one frame, each axis has a mode. Here: wipe a board that stands at an angle."""
    tasks = parse_tasks(f"""
        [[task]]
        name = "wipe"
        frame = "{hand}"
        axes = "board"
        [task.goals]
        x = {{ velocity = 0.2 }}
        y = {{ position = 0.0 }}
        z = {{ force = -10.0 }}
        rx = {{ velocity = 0.0 }}
    """)
    board = MovingFrame(Transform(rotation_z(0.4) @ rotation_x(1.2), np.array([0.4, 0.1, 0.5])))
    solution = solve_tasks(robot, q, v, bias, tasks, frames={"board": board})
    reached = jacobian @ solution.motion.accelerations + drift
    along = board.pose.rotation.T @ reached[:3]
    state = task_state(robot, q, v, tasks[0], frames={"board": board})
    wanted = 20.0 * (0.2 - state.velocity[0])
    push = solution.forces["wipe"]["z"]
    print(f"task frame: moves along the board, error {abs(along[0] - wanted):.1e} m/s2, presses {push:.1f} N")
    return abs(along[0] - wanted), push


def operational_space():
    """Khatib: F = Lambda a + mu + p, tau = J^T F, with Lambda = (J M^-1 J^T)^-1."""
    wanted = np.array([0.5, -0.3, 0.2, 0.1, 0.0, -0.4])
    goals = {
        axis: AxisGoal("acceleration", a)
        for axis, a in zip(("x", "y", "z", "rx", "ry", "rz"), wanted, strict=True)
    }
    commands = solve_tasks(robot, q, v, np.zeros(robot.nv), [FrameTask("move", hand, goals)]).motion.commands
    inverse = np.linalg.inv(mass)
    inertia = np.linalg.inv(jacobian @ inverse @ jacobian.T)
    force = inertia @ (wanted - drift + jacobian @ inverse @ bias)
    error = np.linalg.norm(commands - jacobian.T @ force) / np.linalg.norm(commands)
    print(f"operational space: torques differ by {error:.1e}")
    return error


def stack_of_tasks():
    """Siciliano, Mansard: what is less important acts in the null space of what is more important."""
    place, turn = np.array([0.6, -0.2, 0.4]), np.array([0.3, 0.5, -0.2, 1.0, -0.7])
    elbow = robot.bodies[3].name
    first = FrameTask(
        "place", hand, {axis: AxisGoal("acceleration", a) for axis, a in zip("xyz", place, strict=True)}
    )
    # Five more components, of hand and elbow; seven joints cannot fulfil all eight.
    axes = ("rx", "ry", "rz")
    second = FrameTask(
        "turn",
        hand,
        {axis: AxisGoal("acceleration", a) for axis, a in zip(axes, turn, strict=False)},
        priority=1,
    )
    third = FrameTask(
        "elbow",
        elbow,
        {axis: AxisGoal("acceleration", a) for axis, a in zip("xy", turn[3:], strict=True)},
        priority=2,
    )
    motion = solve_tasks(robot, q, v, np.zeros(robot.nv), [third, second, first]).motion
    above = solve_tasks(robot, q, v, np.zeros(robot.nv), [first, second]).motion
    reached = jacobian @ motion.accelerations + drift
    missed = max(np.abs(reached[:3] - place).max(), np.abs(reached[3:] - turn[:3]).max())
    left = np.abs(motion.residuals[-2:]).max()
    # Closed form of the first two levels, in the metric of the mass: the same motion as without the third.
    inverse = np.linalg.inv(mass)
    free = -inverse @ bias
    weighted = inverse @ jacobian.T @ np.linalg.inv(jacobian @ inverse @ jacobian.T)
    closed = free + weighted @ (np.concatenate([place, turn[:3]]) - drift - jacobian @ free)
    error = np.linalg.norm(above.accelerations - closed) / np.linalg.norm(closed)
    print(
        f"stack of tasks: upper levels missed by {missed:.1e}, the lowest by {left:.2f}, null space {error:.1e}"
    )
    return missed, left, error


def constraint_based():
    """iTaSC, De Schutter: feature frames between two objects; outputs are coordinates of the one in the other.

    Object 1 is a tray that moves by itself, object 2 the hand. Outputs: height over the tray, distance from its
    middle along x, both to follow second-order laws in the tray's own axes, whatever the tray does.
    """
    tray = MovingFrame(
        Transform(rotation_z(0.3), np.array([0.3, 0.2, 0.3])),
        np.array([0.1, 0.0, 0.05, 0.0, 0.0, 0.8]),
        np.array([0.0, 0.2, 0.0, 0.0, 0.0, -0.5]),
    )
    task = FrameTask(
        "over the tray", hand, {"x": AxisGoal("position", 0.0), "z": AxisGoal("position", 0.2)}, axes="tray"
    )
    motion = solve_tasks(robot, q, v, bias, [task], frames={"tray": tray}).motion

    def outputs(time):
        """Outputs and their rates a moment later, from positions alone."""
        moved = footfall.integrate(robot, q, time * v + time**2 / 2 * motion.accelerations)
        spin = 0.8 * time - 0.25 * time**2
        middle = tray.pose.translation + time * tray.velocity[:3] + time**2 / 2 * tray.acceleration[:3]
        apart = footfall.frame_pose(robot, moved, hand).translation - middle
        return (rotation_z(0.3 + spin).T @ apart)[[0, 2]]

    step = 1e-4
    second = (outputs(step) - 2 * outputs(0.0) + outputs(-step)) / step**2
    rate = (outputs(step) - outputs(-step)) / (2 * step)
    law = 100.0 * (np.array([0.0, 0.2]) - outputs(0.0)) - 20.0 * rate
    error = np.abs(second - law).max() / np.abs(law).max()
    print(f"iTaSC: outputs follow their law to {error:.1e}")
    return error


if __name__ == "__main__":
    task_frame_formalism()
    operational_space()
    stack_of_tasks()
    constraint_based()
