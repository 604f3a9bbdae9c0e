"""Drop a robot of your own on rough ground: it lands, does knee bends under a Python controller, and is pushed.

Writes your-own-robot.mcap; `footfall view your-own-robot.mcap` shows it.
"""

from pathlib import Path

import numpy as np

import footfall

# Any URDF or MJCF would do: robot = footfall.load("go2.urdf", floating_base=True). This one is written here.
LEG = """
<link name="{name}"><inertial><origin xyz="0 0 -0.1"/><mass value="0.4"/>
  <inertia ixx="0.0014" iyy="0.0014" izz="0.0001" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><origin xyz="0 0 -0.1"/><geometry><cylinder radius="0.015" length="0.2"/></geometry></visual>
  {foot}</link>
<joint name="{name}_joint" type="revolute"><parent link="{parent}"/><child link="{name}"/>
  <origin xyz="{place}"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="30" velocity="20"/></joint>"""
FOOT = '<collision><origin xyz="0 0 -0.2"/><geometry><sphere radius="0.025"/></geometry></collision>'
TRUNK = """<link name="trunk"><inertial><mass value="6"/>
  <inertia ixx="0.03" iyy="0.07" izz="0.09" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><box size="0.4 0.2 0.1"/></geometry></visual></link>"""
legs = ""
for name, x, y in (("lf", 0.18, 0.12), ("rf", 0.18, -0.12), ("lh", -0.18, 0.12), ("rh", -0.18, -0.12)):
    legs += LEG.format(name=f"{name}_thigh", parent="trunk", place=f"{x} {y} 0", foot="")
    legs += LEG.format(name=f"{name}_shank", parent=f"{name}_thigh", place="0 0 -0.2", foot=FOOT)
Path("your-own-robot.urdf").write_text(f'<robot name="your-own-robot">{TRUNK}{legs}</robot>')

robot = footfall.load("your-own-robot.urdf", floating_base=True)
print(robot)

q = footfall.neutral(robot)
q[2] = 0.7  # m: it falls a little
thighs, shanks = ([robot.q_slice(f"{leg}_{part}_joint").start for leg in ("lf", "rf", "lh", "rh")]
                  for part in ("thigh", "shank"))  # fmt: skip
q[thighs], q[shanks] = 0.6, -1.2
simulation = footfall.Simulation(robot, "rough", q=q, dt=0.001, substeps=10)
print(simulation)


def knee_bends(time, q, v):
    """Called at 100 Hz; the joints follow its positions in steps of 1 ms, in native code."""
    bend = 0.6 + 0.25 * np.sin(2 * np.pi * time) * min(time, 1.0)
    return simulation.pd(np.tile([bend, -2 * bend], 4), kp=80.0, kd=3.0)  # thigh and shank of each leg


with footfall.RecordingWriter(
    "your-own-robot.mcap", robot, scene=simulation.scene, dt=0.001, overwrite=True
) as recorder:
    landed = simulation.run(knee_bends, 2.0, recorder=recorder)
    simulation.push("trunk", np.array([0.0, 60.0, 0.0, 0.0, 0.0, 0.0]), 0.1)  # 60 N to the left for 0.1 s
    recorder.event(simulation.time, "pushed")
    pushed = simulation.run(knee_bends, 2.0, recorder=recorder)

load = landed.forces[-100:].sum(axis=1)[:, 2].mean()  # N, over one knee bend
print(f"the ground carries {load / (9.81 * robot.mass):.3f} of the weight")
print(f"knee bends lift the trunk by {np.ptp(landed.q[-100:, 2]):.3f} m")
print(f"the push moved it by {pushed.q[-1, 1] - landed.q[-1, 1]:.3f} m")
