"""A head walks through stairs and past obstacles and looks around: a map and objects grow out of its depth frames, and
are compared with the truth.
"""

import sys
from pathlib import Path

import numpy as np

import footfall
from footfall import Transform
from footfall.environment import (
    DepthCamera,
    Environment,
    ObjectFinder,
    SeenScene,
    map_frame,
    render_depth,
    reset_area,
    sample_terrain,
    save_environment,
    save_map_picture,
    truth,
    updated,
)
from footfall.math import rotation_z
from footfall.scene import make_scene

FRAMES = 40
folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
robot = footfall.load("lola")
head = footfall.frame_pose(robot, robot.configuration("idle"), "VTCP")  # x ahead, z up

# Straight over the stairs; around the boxes, the first to the right and the second to the left.
ways = {
    "stairs": ((0.0, 4.0), (0.0, 0.0)),
    "obstacles": ((0.0, 1.3, 2.4, 3.8, 5.0), (0.0, 0.0, -0.7, 0.7, 0.0)),
}

for name, (along, beside) in ways.items():
    scene = make_scene(name)
    seen, camera, rng = SeenScene(scene), DepthCamera(), np.random.default_rng(0)
    finder = ObjectFinder()
    real = truth(scene, area=((-1.0, -2.5), (5.5, 2.5)))

    # The ground under the robot is not in view; it stands on it.
    environment = Environment()
    environment = updated(environment, reset_area(environment.terrain, (0.0, 0.0), 0.0))
    for k in range(FRAMES):
        x = along[-1] * k / FRAMES
        y = float(np.interp(x, along, beside))
        height = sample_terrain(real, np.array([[x, y]])).height[0]
        walked = np.array([x, y, height])
        look = rotation_z(0.6 * np.sin(0.8 * k)) @ head.rotation
        frame = render_depth(seen, camera, Transform(look, head.translation + walked), rng=rng)
        environment = updated(environment, map_frame(environment.terrain, frame))
        finder.add(frame)
    environment = updated(environment, finder.update(environment))

    corners = (-1.0, -2.5), (5.5, 2.5)
    known, there = environment.terrain.window(*corners), real.window(*corners)
    error = 1000 * np.abs(known.mean - there.mean)  # mm, not a number where nothing was seen
    print(f"{name}: {environment!r}, {np.isfinite(error).mean():.0%} of {error.size} cells seen")
    for low, high in ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)):
        part = error[(known.sure > low) & (known.sure <= high)]
        near, far = np.percentile(part, (50, 95))
        print(
            f"  confidence {low:.2f} to {high:.2f}: {len(part):6d} cells, "
            f"half of them within {near:.0f} mm, 95 % within {far:.0f} mm"
        )
    for each in environment.objects.values():
        lower, upper = each.world_vertices.min(axis=0), each.world_vertices.max(axis=0)
        print(f"  {each.id}: {each.category} from {lower.round(2)} to {upper.round(2)} m")

    if folder is not None:  # python examples/14_what_a_robot_sees.py FOLDER
        save_map_picture(known, folder / f"map-{name}-heights.png")
        save_map_picture(known, folder / f"map-{name}-confidence.png", confidence=True)
        save_map_picture(known._replace(mean=np.minimum(error, 50.0)), folder / f"map-{name}-errors.png")
        save_environment(environment, folder / f"{name}.toml")
