"""A head walks past obstacles and looks around: a map grows out of its depth frames, and is compared with the truth."""

import sys
from pathlib import Path

import numpy as np

import footfall
from footfall import Transform
from footfall.environment import (
    DepthCamera,
    Environment,
    SeenScene,
    map_frame,
    render_depth,
    reset_area,
    save_map_picture,
    truth,
    updated,
)
from footfall.math import rotation_z
from footfall.scene import make_scene

FRAMES = 40
folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None

scene = make_scene("obstacles", box_height=0.25)
robot = footfall.load("lola")
head = footfall.frame_pose(robot, robot.configuration("idle"), "VTCP")  # x ahead, z up
seen, camera, rng = SeenScene(scene), DepthCamera(), np.random.default_rng(0)

# The ground under the robot is not in view; it stands on it.
environment = Environment()
environment = updated(environment, reset_area(environment.terrain, (0.0, 0.0), 0.0))
for k in range(FRAMES):
    walked = np.array([4.0 * k / FRAMES, 0.0, 0.0])
    look = rotation_z(0.6 * np.sin(0.8 * k)) @ head.rotation
    frame = render_depth(seen, camera, Transform(look, head.translation + walked), rng=rng)
    environment = updated(environment, map_frame(environment.terrain, frame))

corners = (-1.0, -2.5), (5.5, 2.5)
known, real = environment.terrain.window(*corners), truth(scene, area=corners).window(*corners)
error = 1000 * np.abs(known.mean - real.mean)  # mm, not a number where nothing was seen
print(f"{environment!r} of {FRAMES} frames, {np.isfinite(error).mean():.0%} of {error.size} cells seen")
for low, high in ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)):
    part = error[(known.sure > low) & (known.sure <= high)]
    print(
        f"confidence {low:.2f} to {high:.2f}: {len(part):6d} cells, half of them within {np.median(part):.0f} mm"
    )

if folder is not None:  # python examples/14_what_a_robot_sees.py FOLDER
    save_map_picture(known, folder / "map-heights.png")
    save_map_picture(known, folder / "map-confidence.png", confidence=True)
    save_map_picture(known._replace(mean=np.minimum(error, 50.0)), folder / "map-errors.png")
