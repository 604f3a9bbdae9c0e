"""Files of drives alone: mechanisms, motors and friction of a robot in TOML; docs/drives.md explains the fields."""

from __future__ import annotations

from pathlib import Path

from footfall.errors import DescriptionError
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.drive_schema import DriveTables
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.model import Robot
from footfall.robot.toml_parts import decode, read_text

_SIZE_LIMIT = 2**20  # bytes; LOLA's need 8 kB


def read_drives(path: str | Path) -> tuple[Drive, ...]:
    """The drives that a TOML file describes."""
    source = Path(path)
    return parse_drives(read_text(source, limit=_SIZE_LIMIT), source=str(source))


def parse_drives(text: str, *, source: str = "drives") -> tuple[Drive, ...]:
    """The drives that a TOML text describes; source: its name in errors."""
    try:
        return decode(text, source, DriveTables).drives()
    except DescriptionError as error:
        error.source = error.source or source
        raise


def lola_drives(robot: Robot) -> DriveSet:
    """Drives of robot `lola`: ratios and ratings of the source, geometry and motor data of our choice."""
    return DriveSet(robot, robot.drives)
