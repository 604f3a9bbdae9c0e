"""Where a measurement was made: machine, load and versions."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

from footfall.compiler import machine
from footfall.version import __version__


def processor() -> str:
    """Name of the CPU."""
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def lanes() -> int:
    """Robots that one instruction computes."""
    return machine.widest_lanes()


def load_average() -> str:
    """Processes that wanted to run in the last 1 and 5 minutes; a quiet machine has less than one."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    one, five, _ = os.getloadavg()
    return f"{one:.2f}, {five:.2f}"


def versions() -> str:
    """Of everything that the times depend on."""
    packages = {"numpy": "NumPy", "llvmlite": "llvmlite", "pin": "Pinocchio"}
    found = [f"footfall {__version__}", f"Python {platform.python_version()}"]
    for package, name in packages.items():
        try:
            found.append(f"{name} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join(found)
