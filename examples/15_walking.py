"""A humanoid walks in closed loop, with a controller of your own beside ours."""

from __future__ import annotations

import numpy as np

import footfall
from footfall.walking import Push, Walker, WalkerOptions, WalkingCode, walk_many, walking_body

code = WalkingCode(walking_body(footfall.load("lola")))
model = code.body.model
motion = footfall.generate_motion(footfall.load_plan("straight", model), model)
scene = footfall.load_scene("flat")

# Your controller is called every millisecond, after ours: it sees sensors and may change joint velocities.
neck = code.body.joint_names.index("vp")


def look_around(time: float, brain: object) -> None:
    """Turn the head to and fro, rad/s."""
    brain.state.after[neck] = 0.4 * np.cos(2.0 * time)  # type: ignore[attr-defined]


walker = Walker(code, scene, motion, WalkerOptions(noise=True, seed=1))
print("reached" if walker.run_with(look_around, 3.0) else "fallen", f"after {walker.time:.1f} s")
print(f"head turned by up to {np.abs(walker.log.q[:, 7 + neck]).max():.2f} rad")

# Many at once: the same walk under pushes from all sides.
pushes = [Push("torso", (150 * np.cos(a), 150 * np.sin(a), 0.0), 2.0, 0.1) for a in np.linspace(0.0, 6.0, 8)]
options = [WalkerOptions(noise=True, seed=k, pushes=(push,), log_every=10) for k, push in enumerate(pushes)]
walkers = walk_many(code, scene, motion, options, until=5.0)
print(f"{sum(not each.fallen for each in walkers)} of {len(walkers)} still walk 3 s after a push of 15 N s")
