"""One language of tasks for inverse kinematics, whole-body control and hybrid control.

A task says what is wanted of a part of the robot, as an immutable value: what it is about, a target, gains, a weight
among tasks of the same priority, and a priority. The same value goes into every solver:

    hand = PoseTask("RH", pose, gains=5.0)
    solve_ik(robot, q, [hand])                             # a configuration
    solve_velocity(build_ik(robot, q, [hand]))             # a velocity
    solve_acceleration(build_acceleration(robot, q, v, [hand]))
    WholeBodyControl(robot, contacts, [hand, LeastForce(priority=1)])   # torques
    solve_tasks(robot, q, v, tau, [hand])                  # the same by hybrid dynamics

| file | tasks |
|---|---|
| `positions.py` | a point at a place, on a line, in a plane, beyond a plane; planes that are not to be crossed |
| `orientations.py`, `poses.py` | orientation of a frame, looking at a place; pose, feet that stand |
| `postures.py` | joints |
| `accelerations.py`, `forces.py` | accelerations, angular momentum; forces and torques, for whole-body control |
| `frames.py` | what each axis of a frame does; what begins and ends it |
| `text.py` | all of it as TOML |
| `custom.py` | functions of your own, combinations of rows of other tasks |
| `lola.py` | LOLA's task spaces |

`task.py` is what a task is, `stack.py` the native code for a list of tasks.
"""
