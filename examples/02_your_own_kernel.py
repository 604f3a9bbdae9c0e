"""Write a function in NumPy and compile it: choices, loops, derivatives, and a robot inside."""

import numpy as np

import footfall
from footfall.compiler import build_kernel, jacobian, maximum, repeat, where


# Plain NumPy. It runs on numbers; traced once on symbols it becomes machine code.
def stretch(x):
    return np.sin(x[0]) * x + np.array([0.0, 1.0, x @ x])


kernel = build_kernel(stretch, {"x": 3})
x = np.array([0.1, 0.2, 0.3])
print(kernel)
assert np.allclose(kernel(x), stretch(x))


# A symbol has no truth value: `if` does not work on it, `where` does.
def dead_zone(x):
    return where(abs(x[0]) < 0.5, 0.0, x[0])


assert build_kernel(dead_zone, {"x": 1})(np.array([0.7])) == 0.7


# Loops: `repeat` runs a body a number of times, or until a condition holds. Here Newton's method for square roots,
# which stops for each robot of a batch when it is good enough.
def square_root(x):
    def better(guess):
        return 0.5 * (guess + x[0] / guess)

    return repeat(better, maximum(x[0], 1.0), count=50, until=lambda guess: abs(guess * guess - x[0]) < 1e-12)


roots = build_kernel(square_root, {"x": 1})(np.array([[2.0], [9.0], [1e6]]))
print("roots", roots)


# Derivatives come from the graph. All functions of footfall can be used in your own; the robot is a constant.
robot = footfall.load("arm-6r")
tip = robot.bodies[-1].name


def reaching(q, target):
    """Half the squared distance of the arm's tip from a target, and its gradient."""
    error = footfall.frame_pose(robot, q, tip).translation - target
    cost = 0.5 * (error @ error)
    return {"cost": cost, "gradient": jacobian(cost, q)}


reach = build_kernel(reaching, {"q": robot.nq, "target": 3})
q, target = np.full(robot.nq, 0.3), np.array([0.4, 0.1, 0.5])
for _ in range(400):
    cost, gradient = reach(q, target)
    q -= gradient
print(f"{reach}\ndistance left after 400 steps of descent: {np.sqrt(2 * cost):.1e} m")
