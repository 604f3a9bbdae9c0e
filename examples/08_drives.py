"""Motors behind gears: what they can give, a leg that follows a step through them, and how its gears ring."""

from dataclasses import replace

import numpy as np

import footfall
from footfall.drives import DriveSet, Friction
from footfall.scenarios import LEG_JOINTS, follow_step, lola_leg, step_reference
from footfall.simulation import FeetSimulation

# Drives are part of a robot's file. Between motor and joint: a gear, a screw across the knee, two cranks at the ankle.
lola = footfall.load("lola")
drives = DriveSet(lola, lola.drives)
idle = lola.configuration("idle")
ratios = np.abs(np.linalg.svd(drives.motor_jacobian(idle)[:, 6:], compute_uv=False))
print(f"{drives.motors} motors turn {ratios.min():.0f} to {ratios.max():.0f} times as fast as the joints")
weight = drives.motor_torque(idle, footfall.gravity_forces(lola, idle))
print(f"hanging in the idle pose takes at most {1e3 * np.abs(weight).max():.0f} mN m of a motor")

# One leg on a fixed pelvis makes a step: position, velocity and current control at 4 kHz, targets at 1 kHz.
leg = lola_leg()
reference = step_reference(leg)
for gears in ("rigid", "elastic"):
    result = follow_step(leg, reference, gears)
    worst = int(np.argmax(result.peak_current))
    print(
        f"{gears} gears: foot within {1e3 * result.foot_error.max():.2f} mm, "
        f"{LEG_JOINTS[worst]} takes {result.peak_current[worst]:.1f} A"
    )

# Any simulation runs on drives, and models are values: the same leg without friction, held for a second.
smooth = replace(leg, drives=tuple(replace(drive, friction=Friction()) for drive in leg.drives))
start = reference.position(0.4)
simulation = FeetSimulation(smooth, candidates=(), dt=250e-6, substeps=4, q=start, drives="elastic")
path = simulation.run(simulation.pd(start, kp=0.0, kd=0.0), 1.0)
print(f"it sags by {np.degrees(np.abs(path.q[-1] - start).max()):.3f} degrees, as its gears bend")
