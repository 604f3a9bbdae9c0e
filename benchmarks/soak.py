"""A robot lives in a building for some minutes: the function that `soak.toml` studies."""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import numpy as np

from benchmarks.lab.autonomous_walks import _lived, touched
from benchmarks.lab.building_walks import building_of
from footfall import save_scene
from footfall.studies.experiments import walking_code
from footfall.walking import WalkRequest, WalkSession
from footfall.walking.walk import summarise


def live(seed: int, minutes: float = 10.0, mode: Any = "reduced") -> dict[str, Any]:
    """Stay on its feet, from room to room. memory_mb: most that the process has had, which depends on the machine."""
    with tempfile.TemporaryDirectory() as folder:
        path, scene = Path(folder) / "building.toml", building_of(seed)
        save_scene(scene, path)
        request = WalkRequest(scene=str(path), noise=True, seed=seed, mode=mode, seconds=60.0 * minutes)
        session = WalkSession(request, code=walking_code("lola"), log_memory=0.0)
        counts = _lived(session, scene, np.random.default_rng(seed + 1), 60.0 * minutes)
    found = summarise(session, timed=False)
    return {
        "success": not found.fallen,
        "cause": found.cause,
        "time": found.time,
        "distance": found.distance,
        "energy": found.energy,
        **dict(zip(("goals", "missed", "pushes", "boxes", "doors"), counts, strict=True)),
        "touched": "; ".join(touched(session)),
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0,
    }
