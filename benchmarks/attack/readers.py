"""Every reader of files that there is, with files to start from."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.attack.binary_mutations import png
from benchmarks.attack.seed_meshes import dae_file, obj_files, ply_file, stl
from benchmarks.attack.seed_vision import environment_files, perception_file, vision_content, vision_stream

_SEEDS = Path(__file__).with_name("seeds")


class Reader(NamedTuple):
    """A way to read. seed: files by name, the first one is opened; others are those it names. grammars: of the files,
    by suffix, where they are not those of `GRAMMARS`."""

    seed: Callable[[], Mapping[str, bytes]]
    read: Callable[[Path], object]
    grammars: Mapping[str, str] = {}


GRAMMARS = {
    ".toml": "toml",
    ".urdf": "xml",
    ".sdf": "xml",
    ".xml": "xml",
    ".dae": "xml",
    ".json": "json",
    ".mcap": "mcap",
    ".npz": "npz",
    ".stl": "stl",
    ".obj": "lines",
    ".ply": "lines",
    ".mtl": "lines",
    ".wrl": "lines",
    ".srdf": "xml",
    ".png": "png",
    ".bin": "bytes",
    ".kernel": "bytes",
    ".pgm": "bytes",
    ".pcd": "bytes",
    ".npy": "bytes",
}


def _text(name: str, path: str) -> Callable[[], Mapping[str, bytes]]:
    """A file that is shipped, or one of ours."""

    def seed() -> Mapping[str, bytes]:
        place = _SEEDS / path
        content = place.read_bytes() if place.exists() else files("footfall").joinpath(path).read_bytes()
        return {name: content}

    return seed


def _robot(path: Path) -> object:
    """Read; small ones are also written as TOML, which must be the same robot."""
    import footfall
    from footfall.robot.toml import parse_toml
    from footfall.robot.toml_writer import toml_text

    robot = footfall.load(path)
    if len(robot.bodies) < 30:
        assert parse_toml(toml_text(robot)).fingerprint == robot.fingerprint, "another fingerprint"
    return robot


def _scene(path: Path) -> object:
    from footfall.scene.assembly import combined_robot
    from footfall.scene.load import is_scene, load_scene

    is_scene(path)
    scene = load_scene(path)
    return combined_robot(scene) if len(scene.robots) + len(scene.free_objects) in range(1, 5) else scene


def _scene_files() -> Mapping[str, bytes]:
    return {
        "scene.toml": (_SEEDS / "scene.toml").read_bytes(),
        "robot.urdf": (_SEEDS / "robot.urdf").read_bytes(),
        "part.stl": stl(),
    }


def _drives(path: Path) -> object:
    from footfall.robot.drives.drive_schema import read_drives

    return read_drives(path)


def _calibration(path: Path) -> object:
    from footfall.robot.drives.encoder_calibration import read_calibration

    return read_calibration(path)


def _calibration_file() -> Mapping[str, bytes]:
    return {
        "calibration.toml": b'imu_offset = [0.1, 0.0, 0.2]\n[encoder_offsets]\n"knee" = 0.01\n"hip" = -0.2\n'
    }


def _plan(path: Path) -> object:
    from footfall.motion.plans import load_plan

    return load_plan(path, _reduced())


@cache
def _reduced() -> Any:
    from footfall.motion.reduced_model_file import published_model

    return published_model("lola")


def _plan_record(path: Path) -> object:
    from footfall.gait.plan_record import read_plan

    return read_plan(path)


def _plan_record_file() -> Mapping[str, bytes]:
    from footfall.gait.plan_record import plan_to_json
    from footfall.motion.plans import load_plan

    return {"plan.json": plan_to_json(load_plan("tiptoe", _reduced()))}


def _reduced_model(path: Path) -> object:
    from footfall.motion.reduced_model_file import read_reduced_model

    return read_reduced_model(path)


def _parameters(path: Path) -> object:
    """Read, and used for a motion."""
    from footfall.motion.parameters import read_parameters
    from footfall.motion.pipeline import generate_motion
    from footfall.motion.plans import load_plan

    parameters = read_parameters(path)
    return generate_motion(load_plan("tiptoe", _reduced()), _reduced(), parameters=parameters)


def _parameters_file() -> Mapping[str, bytes]:
    from footfall.motion.parameters import MotionParameters, write_parameters

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parameters.toml"
        write_parameters(MotionParameters(), path)
        return {"parameters.toml": path.read_bytes()}


def _tasks(path: Path) -> object:
    from footfall.control.tasks.text import parse_tasks

    return parse_tasks(path.read_text(encoding="utf-8", errors="surrogateescape"))


def _scenario(path: Path) -> object:
    from footfall.scenarios.quadruped.parameters import load_scenario

    return load_scenario(path)


def _recording(path: Path) -> object:
    """Read as the viewer does: with its scene, and exported."""
    from footfall.recording.export import Table, table_columns
    from footfall.recording.reader import read_recording

    recording = read_recording(path)
    for mesh in recording.meshes.values():
        _mesh(Path(mesh))
    repr(recording), recording.dt, recording.seed, recording._repr_html_()
    return [table_columns(recording, table) for table in Table]


def _recording_file() -> Mapping[str, bytes]:
    import footfall

    robot = footfall.load("double-pendulum")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        scene = footfall.load_scene("blocks")
        part = Path(folder) / "part.stl"
        part.write_bytes(stl())
        scene = replace(
            scene, objects=(*scene.objects, footfall.SceneObject("part", footfall.Mesh(str(part))))
        )
        with footfall.RecordingWriter(path, robot, scene=scene, dt=0.01, seed=3, preview_rate=10.0) as writer:
            for k in range(40):
                writer.state(0.01 * k, np.full(robot.nq, 0.1 * k), np.zeros(robot.nv), np.zeros(robot.nv))
                writer.contacts(0.01 * k, np.ones((2, 3)), np.ones((2, 3)), bodies=[0, -1])
                if k % 10 == 9:
                    writer.flush()
            writer.event(0.2, "half", {"how": [1, 2, {"far": 0.5}]})
        return {"run.mcap": path.read_bytes()}


def _problems(path: Path) -> object:
    from footfall.contact.problem import load_problems

    return load_problems(path)


def _problems_file() -> Mapping[str, bytes]:
    from benchmarks.lab.random_problems import random_problem
    from footfall.contact.problem import save_problems

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problems.npz"
        save_problems(path, [random_problem(3, seed=k, limits=k % 2, boxes=k % 3) for k in range(4)])
        return {"problems.npz": path.read_bytes()}


def _mesh(path: Path) -> object:
    from footfall.geometry.mesh import load_mesh

    mesh = load_mesh(path)
    return mesh.bounds, mesh.watertight


def _vrml_file() -> Mapping[str, bytes]:
    return {"part.wrl": (_SEEDS / "part.wrl").read_bytes()}


def _volumes(path: Path) -> object:
    """Read for a robot, and written again, which must say the same."""
    from footfall.robot.volume_schema import load_volumes, volume_lines

    robot = load_volumes(_lola(), path)
    return volume_lines(robot), robot.fingerprint


@cache
def _lola() -> Any:
    import footfall

    return footfall.load("lola")


def _volumes_file() -> Mapping[str, bytes]:
    from footfall.robot.volume_schema import save_volumes

    robot = _lola()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "volumes.toml"
        save_volumes(robot, path)
        return {"volumes.toml": path.read_bytes()}


def _walk_request(path: Path) -> object:
    """Read, and what it asks for without a walk: whether its numbers have a meaning."""
    from footfall.walking.request import read_request

    return read_request(path)


def _walk_request_file() -> Mapping[str, bytes]:
    from footfall.walking.request import Push, WalkRequest, write_request

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "platform.walk.json"
        pushes = (Push("torso", (0.0, 150.0, 0.0), 3.0, 0.1), Push("base", (10.0, 0.0, -5.0), 4.5, 0.2))
        write_request(
            WalkRequest(scene="stairs", goal=(3.0, 0.5, 1.0), speed=0.5, noise=True, seed=3, pushes=pushes),
            path,
        )
        return {"walk.json": path.read_bytes()}


def _planner_parameters(path: Path) -> object:
    """Read, and the tables made of them that every plan begins with."""
    from footfall.planning.parameters import read_planner_parameters
    from footfall.planning.tables import _made, biped_of

    model = _reduced()
    return _made(biped_of(model), read_planner_parameters(path), model.hand_space).steps.reach


def _planner_parameters_file() -> Mapping[str, bytes]:
    from footfall.planning.parameters import PlannerParameters, planner_parameters_text

    return {"planner.toml": planner_parameters_text(PlannerParameters()).encode()}


def _urdf_files() -> Mapping[str, bytes]:
    """A robot with a mesh, and what is said about it beside it."""
    return {
        "seed.urdf": (_SEEDS / "robot.urdf").read_bytes(),
        "seed.srdf": (_SEEDS / "robot.srdf").read_bytes(),
    }


def _mjcf_files() -> Mapping[str, bytes]:
    """A robot of several files, in folders, with a picture, a height field and a mesh."""
    return {
        "robot.xml": (_SEEDS / "robot_parts.xml").read_bytes(),
        "parts/leg.xml": (_SEEDS / "leg.xml").read_bytes(),
        "assets/skin.png": png(16, 16),
        "assets/hill.png": png(8, 8),
        "assets/hill.bin": struct.pack("<ii", 4, 4) + np.linspace(0, 1, 16, dtype="<f4").tobytes(),
        "assets/part.stl": stl(),
    }


def _kernel(path: Path) -> object:
    """An entry of the cache."""
    from footfall.compiler import cache

    entry = cache.parsed(path.read_bytes(), "a" * 64)
    return entry and sorted(entry.facts)


def _kernel_file() -> Mapping[str, bytes]:
    import os

    from footfall.compiler import cache

    before = os.environ.get("FOOTFALL_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FOOTFALL_CACHE_DIR"] = folder
        try:
            cache.write("a" * 64, cache.Entry({"inputs": [["q", [3]]], "sizes": [100]}, bytes(100)))
            return {"entry.kernel": (Path(folder) / f"{'a' * 64}.kernel").read_bytes()}
        finally:
            del os.environ["FOOTFALL_CACHE_DIR"]
            if before is not None:
                os.environ["FOOTFALL_CACHE_DIR"] = before


def _environment(path: Path) -> object:
    from footfall.environment import load_environment

    return load_environment(path)


def _points(path: Path) -> object:
    from footfall.environment import read_points, terrain_from_points

    points = read_points(path)
    return terrain_from_points(points) if len(points) < 10_000 else points


def _points_file(suffix: str) -> Callable[[], Mapping[str, bytes]]:
    def seed() -> Mapping[str, bytes]:
        from footfall.environment import save_points

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"cloud{suffix}"
            save_points(np.random.default_rng(0).normal(size=(6, 3)), path)
            return {path.name: path.read_bytes()}

    return seed


def _height_image(path: Path) -> object:
    from footfall.environment import terrain_from_image

    return terrain_from_image(path)


def _vision(path: Path) -> object:
    """A stream of bytes of a peer: framed, compressed or not, then read as containers."""
    from footfall.environment.vision.codec import read_container
    from footfall.messages.frames import MessageReader

    reader = MessageReader(most=2**22, unpacked=2**24)
    return [read_container(message) for message in reader.feed(path.read_bytes())]


def _vision_container(path: Path) -> object:
    """The content alone, with its checksum made right."""
    from footfall.environment.vision.codec import read_container
    from footfall.messages import Message

    content = path.read_bytes()
    return read_container(Message(16 + content[0] % 3 if content else 0, content[1:]))


def _perception(path: Path) -> object:
    from footfall.environment import read_perception

    return list(read_perception(path))


def _stream_log(path: Path) -> object:
    from footfall.messages import read_log

    return read_log(path)


def _stream_log_file() -> Mapping[str, bytes]:
    from footfall.messages import StreamLog

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.mcap"
        with StreamLog(path, {"joints": ("hip", "knee")}) as log:
            for k in range(50):
                log.put("joints", 0.01 * k, (k, -k))
        return {"log.mcap": path.read_bytes()}


READERS: dict[str, Reader] = {
    "robot toml": Reader(_text("robot.toml", "robot.toml"), _robot),
    "robot with loops and drives": Reader(_text("robot.toml", "robot/library/cassie.toml"), _robot),
    "urdf": Reader(_text("robot.urdf", "robot.urdf"), _robot),
    "sdf": Reader(_text("robot.sdf", "robot.sdf"), _robot),
    "mjcf": Reader(_text("robot.xml", "robot.xml"), _robot),
    "mjcf of several files": Reader(_mjcf_files, _robot),
    "scene": Reader(_scene_files, _scene),
    "world of mjcf": Reader(_text("world.xml", "world.xml"), _scene),
    "drives": Reader(_text("drives.toml", "drives.toml"), _drives),
    "calibration": Reader(_calibration_file, _calibration),
    "plan": Reader(_text("plan.toml", "plan.toml"), _plan),
    "plan record": Reader(_plan_record_file, _plan_record),
    "reduced model": Reader(_text("model.toml", "motion/library/lola.toml"), _reduced_model),
    "motion parameters": Reader(_parameters_file, _parameters),
    "hybrid tasks": Reader(_text("tasks.toml", "tasks.toml"), _tasks),
    "quadruped scenario": Reader(_text("trot.toml", "scenarios/quadruped/trot.toml"), _scenario),
    "recording": Reader(_recording_file, _recording),
    "contact problems": Reader(_problems_file, _problems),
    "mesh stl": Reader(lambda: {"part.stl": stl()}, _mesh),
    "mesh obj": Reader(obj_files, _mesh),
    "mesh ply": Reader(ply_file, _mesh),
    "mesh dae": Reader(dae_file, _mesh),
    "mesh vrml": Reader(_vrml_file, _mesh),
    "urdf with srdf": Reader(_urdf_files, _robot),
    "volumes": Reader(_volumes_file, _volumes),
    "walk request": Reader(_walk_request_file, _walk_request),
    "planner parameters": Reader(_planner_parameters_file, _planner_parameters),
    "cache entry": Reader(_kernel_file, _kernel),
    "environment": Reader(lambda: environment_files(beside=False), _environment),
    "environment of several files": Reader(lambda: environment_files(beside=True), _environment),
    "points ply": Reader(_points_file(".ply"), _points, {".ply": "bytes"}),
    "points pcd": Reader(_points_file(".pcd"), _points),
    "points npy": Reader(_points_file(".npy"), _points),
    "height image": Reader(lambda: {"hill.png": png(16, 16)}, _height_image),
    "vision stream": Reader(vision_stream, _vision),
    "vision container": Reader(vision_content, _vision_container),
    "recorded perception": Reader(perception_file, _perception),
    "stream log": Reader(_stream_log_file, _stream_log),
}


def grammar(reader: Reader, name: str) -> str:
    """How to mutate a file of that name."""
    suffix = Path(name).suffix
    return reader.grammars.get(suffix, GRAMMARS[suffix])
