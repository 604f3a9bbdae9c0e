"""A mobile robot aligns itself with a wall by touch: pushed gently forward, it needs no distance sensor.

The wheels roll and the base stays level as constraints; two bumper points may push, never pull.
"""

import numpy as np

import footfall

STEP, DURATION = 1e-3, 5.0  # s
WALL, PUSH = 0.6, 20.0  # m, N
BUMPERS = (np.array([0.25, 0.2, 0.0]), np.array([0.25, -0.2, 0.0]))
NORMAL = np.array([-1.0, 0.0, 0.0])  # of the wall, towards the robot
APPROACH, STIFFNESS = 40.0, 400.0  # 1/s, 1/s2: how a gap closes

robot = footfall.load("differential-base")
wheels = (footfall.hybrid.Wheel("left_wheel", 0.1), footfall.hybrid.Wheel("right_wheel", 0.1))
constraints = (
    footfall.hybrid.Constraint("base", ("z", "rx", "ry"), "frame", name="level"),
    *footfall.hybrid.rolling_constraints(wheels),
    footfall.hybrid.Constraint("base", 2, name="bumpers"),  # directions come with every call
)


def bumper_rows(pose, velocity):
    """Directions (6, 2) and set-points (2,) of the bumpers, and their gaps."""
    directions, setpoints, gaps = [], [], []
    linear, angular = velocity[:3], velocity[3:]
    for bumper in BUMPERS:
        arm = pose.rotation @ bumper
        gap = WALL - (pose.translation + arm)[0]
        rate = NORMAL @ (linear + np.cross(angular, arm))
        turning = NORMAL @ np.cross(angular, np.cross(angular, arm))
        directions.append(np.concatenate([NORMAL, np.cross(arm, NORMAL)]))
        setpoints.append(-turning - APPROACH * rate - STIFFNESS * gap)
        gaps.append(gap)
    return np.array(directions).T, np.array(setpoints), gaps


def accelerations(q, v):
    """Accelerations, forces of the two bumpers and their gaps; a bumper that would have to pull is let go."""
    pose = footfall.frame_pose(robot, q, "base")
    rolling = footfall.hybrid.rolling_rows(robot, q, v, wheels)
    directions, setpoints, gaps = bumper_rows(pose, footfall.frame_velocity(robot, q, v, "base"))
    tau = np.append(np.zeros(6), -0.05 * v[6:])  # friction in the wheels
    active = np.ones(9)
    while True:
        motion = footfall.hybrid.hybrid_dynamics(
            robot,
            q,
            v,
            tau,
            constraints=constraints,
            directions=np.hstack([np.zeros((6, 3)), rolling.directions, directions]),
            setpoints=np.concatenate([np.zeros(3), rolling.setpoints, setpoints]),
            active=active,
            wrenches={"base": np.append(pose.rotation @ [PUSH, 0.0, 0.0], np.zeros(3))},
        )
        worst = 7 + int(np.argmin(motion.forces[7:]))
        if motion.forces[worst] >= -1e-9:
            return motion.accelerations, motion.forces[7:], gaps
        active[worst] = 0.0


def align(degrees):
    """Drive against the wall from an angle; prints what happened."""
    half = np.radians(degrees) / 2
    q = robot.configuration("rest")
    q[3:7] = np.cos(half), 0.0, 0.0, np.sin(half)
    v = np.zeros(robot.nv)
    touched = None
    for step in range(round(DURATION / STEP)):
        a, forces, gaps = accelerations(q, v)
        v = v + STEP * a
        q = footfall.integrate(robot, q, STEP * v)
        if touched is None and max(gaps) < 1e-3:
            touched = step * STEP
    angle = np.degrees(2 * np.arctan2(q[6], q[3]))
    print(
        f"from {degrees} degrees: touched after {touched:.2f} s, "
        f"angle at the end {angle:.3f} degrees, forces {forces[0]:.2f} and {forces[1]:.2f} N"
    )


if __name__ == "__main__":
    align(15)
