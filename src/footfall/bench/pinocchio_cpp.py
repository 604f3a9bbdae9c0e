"""Pinocchio without Python: its algorithms in C++ loops, in this very process.

The loops are compiled once against the headers that Pinocchio's wheel ships, which takes minutes, and kept in
the cache's folder. They have a copy of the model and the states; one call from here runs over all states.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from footfall.arrays import Array
from footfall.bench.cases import tip
from footfall.bench.pinocchio import PinocchioModel
from footfall.bench.robots import pinocchio_prefix
from footfall.bench.states import BenchState
from footfall.compiler.cache import directory
from footfall.errors import FootfallError, MissingPackage, ProgramFailed

_FLAGS = (
    *("-std=c++17", "-O3", "-march=native", "-DNDEBUG"),
    *("-shared", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique"),
    # The limits that Pinocchio itself is built with, for its variant of all joint types.
    *("-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30"),
    *("-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"),
)


class CppLoops:
    """The loops for one robot and its states, in Pinocchio's conventions."""

    def __init__(self, peer: PinocchioModel, states: list[BenchState]) -> None:
        self._library = library()
        self._handle = ctypes.c_void_p(self._library.peer_new())
        self._copy_model(peer)
        arrays = [np.ascontiguousarray(column) for column in map(np.array, zip(*states, strict=True))]
        armature = np.ascontiguousarray(peer.model.armature)
        self._library.peer_finish(self._handle, _pointer(armature), len(states), *map(_pointer, arrays))
        self.count = len(states)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.peer_delete(self._handle)

    def run(self, algorithm: str) -> float:
        """Run a function of Pinocchio over all states; gives the norm of its last result."""
        return float(self._library.peer_run(self._handle, algorithm.encode()))

    def _copy_model(self, peer: PinocchioModel) -> None:
        model = peer.model
        for index in range(1, model.njoints):
            joint, inertia = model.joints[index], model.inertias[index]
            kind = joint.shortname().removeprefix("JointModel")
            axis = np.array(joint.extract().axis) if kind.endswith("Unaligned") else np.zeros(3)
            added = self._library.peer_add_joint(
                self._handle,
                int(model.parents[index]),
                kind.encode(),
                _pointer(axis),
                _pointer(_numbers(model.jointPlacements[index])),
                ctypes.c_double(inertia.mass),
                _pointer(np.ascontiguousarray(inertia.lever)),
                _pointer(np.ascontiguousarray(inertia.inertia)),
            )
            if added != index:
                raise FootfallError(f"no C++ loop for joint {model.names[index]!r} of kind {kind}")
        end = peer.frame_id(tip(peer.robot))
        for index in range(1, model.nframes):
            frame = model.frames[index]
            numbers = _numbers(frame.placement)
            self._library.peer_add_frame(
                self._handle, int(frame.parentJoint), _pointer(numbers), int(index == end)
            )


@cache
def library() -> Any:
    """The compiled loops."""
    path = build()
    loaded = ctypes.CDLL(str(path))
    loaded.peer_new.restype = ctypes.c_void_p
    loaded.peer_run.restype = ctypes.c_double
    return loaded


def build() -> Path:
    """Compile the loops if they are not in the cache yet; gives their path."""
    compiler = os.environ.get("CXX") or shutil.which("g++")
    if compiler is None:
        raise MissingPackage("the C++ column needs g++ (or another compiler, named in CXX)")
    source = files("footfall.bench").joinpath("pinocchio_loops.cpp").read_bytes()
    version = subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout
    facts = [source, version, pin.__version__.encode(), " ".join(_FLAGS).encode(), str(_prefix()).encode()]
    path = directory() / f"pinocchio-loops-{hashlib.sha256(b'|'.join(facts)).hexdigest()[:16]}.so"
    if path.is_file():
        return path
    eigen = _eigen_folder()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        code, made = Path(folder) / "loops.cpp", Path(folder) / "loops.so"
        code.write_bytes(source)
        includes = ["-I", str(_prefix() / "include"), "-I", str(eigen)]
        libraries = ["-L", str(_prefix() / "lib"), f"-Wl,-rpath,{_prefix() / 'lib'}", "-lboost_serialization"]
        command = [compiler, *_FLAGS, *includes, str(code), "-o", str(made), *libraries]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            errors = [line for line in run.stderr.splitlines() if "error" in line]
            raise ProgramFailed(f"{compiler} failed: " + "\n".join(errors[:5] or [run.stderr[-500:]]))
        made.replace(path)
    return path


def _prefix() -> Path:
    """Where Pinocchio's wheel keeps headers and libraries."""
    prefix = pinocchio_prefix("include/pinocchio")
    if prefix is None:
        raise MissingPackage("the C++ column needs Pinocchio's headers, which the wheel `pin` has")
    return prefix


def _eigen_folder() -> Path:
    places = [os.environ.get("EIGEN_INCLUDE_DIR"), _prefix() / "include" / "eigen3"]
    for place in [*places, "/usr/include/eigen3", "/usr/local/include/eigen3"]:
        if place is not None and (Path(place) / "Eigen").is_dir():
            return Path(place)
    message = "the C++ column needs Eigen's headers: install libeigen3-dev, or name them in EIGEN_INCLUDE_DIR"
    raise MissingPackage(message)


def _pointer(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)


def _numbers(pose: Any) -> Array:
    return np.concatenate([np.ascontiguousarray(pose.rotation).ravel(), pose.translation])
