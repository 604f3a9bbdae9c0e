"""Pick up a recording as arrays or as a table: what the joints did, what the feet carried, when things happened."""

import numpy as np

import footfall
from footfall import export_recording

# Something to look at: a quadruped that falls onto its feet.
robot = footfall.load("quadruped")
q = np.array(robot.configuration("stand"))
q[2] += 0.05  # m
simulation = footfall.Simulation(robot, "flat", q=q, dt=0.002)
with footfall.RecordingWriter("drop.mcap", robot, scene=simulation.scene, dt=0.002, overwrite=True) as writer:
    hold = simulation.pd(simulation.joint_positions(), kp=2000.0, kd=100.0)
    simulation.run(hold, 1.0, recorder=writer)
    writer.event(simulation.time, "done")

recording = footfall.read_recording("drop.mcap")
print(recording)

# Arrays: time (n,), q (n, nq), v (n, nv), tau (n, nv); robot.q_slice says where a joint stands.
knee = recording.q[:, robot.q_slice(robot.joints[-1].name)]
print(f"{robot.joints[-1].name} moved by {np.ptp(knee):.4f} rad")

# Contacts come in rows of their own, some at each instant.
contacts = recording.contacts
total = np.add.reduceat(contacts.force[:, 2], contacts.offset[:-1])  # N, at each instant
print(
    f"peak of all forces {total.max():.0f} N, at the end {total[-1] / (9.81 * robot.mass):.3f} of the weight"
)

# Tables: columns are named after joints. `footfall export drop.mcap drop.csv` writes the same for other programs.
export_recording(recording, "drop.csv", table="states")
try:
    table = recording.to_pandas()
except footfall.errors.MissingPackage as missing:
    print(missing)
else:
    print(table.filter(like="tau.").abs().max().sort_values(ascending=False).head(3))
    print(recording.to_pandas("contacts").groupby("body")["force.z"].max())
