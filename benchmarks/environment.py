"""How long the environment takes: patches, maps, samples, depth frames, messages; the memory of a map; and how well
maps and objects that a camera has seen agree with the truth.

python benchmarks/environment.py [--blocks 30] [--output report.md]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))

import argparse
import time

import numpy as np

from footfall import Transform
from footfall.bench.surroundings import load_average
from footfall.environment import (
    DepthCamera,
    Environment,
    EnvironmentUpdate,
    FusedSurface,
    ObjectFinder,
    Patch,
    SeenScene,
    map_frame,
    render_depth,
    reset_area,
    sample_footprints,
    sample_terrain,
    terrain_from_cells,
    truth,
    updated,
)
from footfall.environment.model import whole
from footfall.environment.rasterise import drawn_triangles, rasterise
from footfall.environment.vision.codec import container_message, read_container
from footfall.environment.vision.containers import VisionToControl
from footfall.math.rotations import rotation_y, rotation_z
from footfall.math.transform import identity_transform
from footfall.scene import make_scene

_MAPS = (
    "40 depth frames of a head that walks to the goal and looks around, with noise (4 cm at 2 m), compared with the "
    "truth cell by cell. Stairs and the low bar are floor, the two boxes are obstacles.\n"
)


def median(work, blocks):
    """Milliseconds of the thread's CPU time, median and quartiles; each block is one call."""
    work()  # compiled
    times = []
    for _ in range(blocks):
        begin = time.thread_time()
        work()
        times.append(1e3 * (time.thread_time() - begin))
    return np.percentile(times, (50, 25, 75))


def cases():
    rng = np.random.default_rng(0)
    heights, trust = rng.normal(0.0, 0.05, (1000, 1000)), rng.uniform(0.0, 1.0, (1000, 1000))
    terrain = terrain_from_cells(heights, trust)
    environment, patch = Environment(terrain), next(iter(terrain.patches.values()))
    points = rng.uniform(0.0, 10.0, (10_000, 2))
    poses = np.column_stack([points[:1000], rng.uniform(-3, 3, 1000)])
    floor = np.array([[[0.0, 0, 0], [10, 0, 0], [10, 10, 0]], [[0, 0, 0], [10, 10, 0], [0, 10, 0]]])
    seen, camera = SeenScene(make_scene("stairs")), DepthCamera()
    house = SeenScene(make_scene("building"))
    pose = Transform(rotation_y(0.6), np.array([0.5, 0.3, 1.6]))
    frame = render_depth(seen, camera, pose, rng=rng)
    here = identity_transform()
    container = VisionToControl(0.0, here, here, update=whole(environment))
    message = container_message(container)
    index = (3, 3)
    fused, finder = FusedSurface(), ObjectFinder()
    finder.add(frame)

    def update():
        return updated(
            environment, EnvironmentUpdate(patches={index: Patch(patch.heights, patch.confidence)})
        )

    def whole_map():
        patches = {k: Patch(p.heights, p.confidence) for k, p in terrain.patches.items()}
        return updated(environment, EnvironmentUpdate(patches=patches))

    lower, upper = np.array([-0.23, -0.11]), np.array([0.04, 0.11])
    return {
        "update of one patch, with its tree, in a map of 10 m x 10 m": (update, 1.0),
        "update of all patches of that map": (whole_map, 200.0),
        "map of 10 m x 10 m rasterised, 4 x 4 samples in a cell": (
            lambda: rasterise(drawn_triangles(floor)),
            None,
        ),
        "10,000 places: height, slope, confidence": (lambda: sample_terrain(terrain, points), None),
        "1,000 soles": (lambda: sample_footprints(terrain, poses, lower=lower, upper=upper), None),
        "depth frame 320 x 240, stairs": (lambda: render_depth(seen, camera, pose, rng=rng), 20.0),
        "depth frame 320 x 240, building": (lambda: render_depth(house, camera, pose, rng=rng), 20.0),
        "frame merged into the map": (lambda: map_frame(terrain, frame), None),
        "frame fused into surfaces": (lambda: fused.add(frame), None),
        "objects found in them": (lambda: finder.update(environment), None),
        "message of the whole map written": (lambda: container_message(container), None),
        "and read": (lambda: read_container(message), None),
    }, sum(each.size for each in terrain.patches.values())


def walked(name, *, frames=40):
    """What is believed after a head has walked through a scene, looking around, with the noise of the camera."""
    scene = make_scene(name)
    seen, camera, rng, finder = SeenScene(scene), DepthCamera(), np.random.default_rng(0), ObjectFinder()
    environment = updated(Environment(), reset_area(Environment().terrain, (0.0, 0.0), 0.0))
    for k in range(frames):
        x = k / frames * float(scene.goal.translation[0])
        turn = rotation_z(0.9 * np.sin(0.9 * k)) @ rotation_y(0.5 + 0.2 * np.cos(0.7 * k))
        frame = render_depth(seen, camera, Transform(turn, np.array([x, 0.0, 1.7])), rng=rng)
        environment = updated(environment, map_frame(environment.terrain, frame))
        finder.add(frame)
    return scene, updated(environment, finder.update(environment, stands=(0.0, 0.0)))


def accuracy():
    """Rows of a table: errors of cells by confidence, and objects, of two scenes."""
    rows = []
    for name in ("stairs", "obstacles"):
        scene, environment = walked(name)
        corners = (-1.0, -2.5), (float(scene.goal.translation[0]) + 1.0, 2.5)
        known, real = environment.terrain.window(*corners), truth(scene, area=corners).window(*corners)
        error = 1000 * np.abs(known.mean - real.mean)
        for low, high in ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)):
            part = error[(known.sure > low) & (known.sure <= high) & np.isfinite(error)]
            half, most = np.percentile(part, (50, 95))
            rows.append(f"| {name} | {low:g} to {high:g} | {len(part)} | {half:.0f} | {most:.0f} |")
        found = [f"{each.id} ({each.category})" for each in environment.objects.values()]
        rows.append(f"| {name} | objects found | {', '.join(found) or 'none'} | | |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--output", type=Path, help="file for the report")
    options = parser.parse_args()
    load = load_average()
    table, size = cases()
    lines = ["| | ms, median | quartiles | bar, ms |", "|---|---|---|---|"]
    for name, (work, bar) in table.items():
        middle, low, high = median(work, options.blocks)
        lines.append(
            f"| {name} | {middle:.3g} | {low:.3g} to {high:.3g} | {'' if bar is None else f'{bar:g}'} |"
        )
    lines.append(
        f"\nThe map of 10 m x 10 m takes {size / 2**20:.1f} MiB. CPU time of one thread; load {load}."
    )
    lines += ["", "## Maps and objects that a camera has seen", "", _MAPS]
    lines += ["| scene | confidence | cells | half within, mm | 95 % within, mm |", "|---|---|---|---|---|"]
    lines += accuracy()
    report = "\n".join(["# What the robot believes: cost and accuracy", "", *lines])
    print(report)
    if options.output:
        options.output.write_text(report + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
