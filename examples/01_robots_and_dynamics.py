"""Load a robot and compute with it: kinematics, dynamics, and many robots at once."""

import numpy as np

import footfall

# A shipped robot by name; a path to a .urdf, .xml (MJCF) or .toml file works as well.
robot = footfall.load("lola")
print(robot)

# q = [position in world, quaternion (w, x, y, z), joints]; v = [linear velocity in world axes, angular velocity
# in body axes, joint rates].
q = robot.configuration("idle")
v = np.zeros(robot.nv)

# Where things are. Frames have names; the right foot is RF.
print("centre of mass", footfall.center_of_mass(robot, q).round(3))
print("right foot at ", footfall.frame_pose(robot, q, "RF").translation.round(3))

# 6-vectors have the linear part first, in world axes, at the origin of the frame.
jacobian = footfall.frame_jacobian(robot, q, "RF")
v[robot.v_slice("kfr")] = 1.0  # the right knee turns with 1 rad/s
assert np.allclose(jacobian @ v, footfall.frame_velocity(robot, q, v, "RF"))

# Dynamics there and back.
tau = footfall.gravity_forces(robot, q)  # holds the robot still, if something could hold its base
a = footfall.forward_dynamics(robot, q, np.zeros(robot.nv), tau)
print(f"acceleration under gravity forces {np.abs(a).max():.1e}")

# Push the left hand sideways with 10 N: external wrenches act at named frames.
push = {"LH": np.array([0.0, 10.0, 0.0, 0.0, 0.0, 0.0])}
a = footfall.forward_dynamics(robot, q, np.zeros(robot.nv), tau, wrenches=push)
back = footfall.inverse_dynamics(robot, q, np.zeros(robot.nv), a, wrenches=push)
print(f"forces recovered to {np.abs(back - tau).max():.1e} N")

# A thousand robots in one call: arrays with a batch axis in front.
many = footfall.random_configuration(robot, seed=1, count=1000)
rates = np.random.default_rng(1).normal(size=(1000, robot.nv))
accelerations = footfall.forward_dynamics(robot, many, rates, tau)  # tau is the same for all
print("batch of accelerations", accelerations.shape)

# In a loop that must not allocate anything, bind arrays to the native code once.
kernel = footfall.forward_dynamics.kernel(robot)
state, speed, force, result = np.array(q), np.zeros(robot.nv), np.array(tau), np.empty(robot.nv)
step = kernel.bind(state, speed, force, result)
for knee in np.linspace(0.0, 1.0, 5):
    state[robot.q_slice("kfr")] = knee
    step()
    print(f"knee at {knee:.2f} rad accelerates with {result[robot.v_slice('kfr')][0]:8.3f} rad/s2")
