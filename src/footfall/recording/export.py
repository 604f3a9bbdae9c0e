"""Recordings as CSV, NPZ and Parquet files for other tools."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from footfall.errors import InvalidInput, MissingPackage
from footfall.recording.reader import Recording
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.model import Joint, JointType, Robot
from footfall.robot.toml_writer import toml_text
from footfall.whole_file import written_whole

Columns = dict[str, Any]  # name -> array or list of a table's length

_AXES = ("x", "y", "z")


class Table(StrEnum):
    """The tables of a recording; CSV and Parquet files hold one of them."""

    STATES = "states"
    CONTACTS = "contacts"
    EVENTS = "events"


def export_recording(
    recording: Recording, path: str | os.PathLike[str], *, table: Table | str = Table.STATES
) -> None:
    """Write a recording as .csv, .parquet (one table each) or .npz (everything); numbers are kept exactly.

    The file appears whole or not at all. Parquet needs the package pyarrow.
    """
    if not isinstance(recording, Recording):
        raise TypeError(
            f"export_recording: the first argument is a recording, not {recording!r}; use read_recording"
        )
    path = Path(path)
    if path.suffix.lower() not in _WRITERS:
        suffixes = ", ".join(_WRITERS)
        raise InvalidInput(f"suffix {path.suffix!r} of {str(path)!r} is unknown; there are: {suffixes}")
    chosen = checked_table(table)
    with written_whole(path) as file:
        _WRITERS[path.suffix.lower()](recording, chosen, file)


def checked_table(table: Table | str) -> Table:
    """The table of a name."""
    if table not in list(Table):
        raise InvalidInput(f"no table {str(table)!r} in a recording; there are: {', '.join(Table)}")
    return Table(table)


def table_columns(recording: Recording, table: Table) -> Columns:
    """The named columns of a table, equally long."""
    match table:
        case Table.STATES:
            return _state_columns(recording)
        case Table.CONTACTS:
            return _contact_columns(recording)
        case Table.EVENTS:
            return {
                "time": np.array([event.time for event in recording.events]),
                "name": [event.name for event in recording.events],
                "data": [msgspec.json.encode(dict(event.data)).decode() for event in recording.events],
            }


def coordinate_names(robot: Robot) -> list[str]:
    """Names of the entries of `q` (nq,): the joint, and the coordinate where it has several."""
    return [f"{joint.name}{coordinate}" for joint in robot.joints for coordinate in _coordinates(joint)]


def velocity_names(robot: Robot) -> list[str]:
    """Names of the entries of `v` (nv,); where loops couple joints, of the independent ones."""
    names = [f"{joint.name}{velocity}" for joint in robot.joints for velocity in _velocities(joint)]
    structure = robot.tree.loops
    return names if structure is None else [names[velocity] for velocity in structure.independent]


def motor_names(robot: Robot) -> list[str]:
    """Names of the motors: of the joints that each moves, or shares with its neighbour."""
    return list(DriveSet(robot, robot.drives).joints)


def _coordinates(joint: Joint) -> list[str]:
    quaternion = [".qw", ".qx", ".qy", ".qz"]
    match joint.type:
        case JointType.FLOATING:
            return [".x", ".y", ".z", *quaternion]
        case JointType.SPHERICAL:
            return quaternion
        case _:
            return _velocities(joint)


def _velocities(joint: Joint) -> list[str]:
    match joint.type:
        case JointType.FLOATING:
            return [".x", ".y", ".z", ".wx", ".wy", ".wz"]
        case JointType.SPHERICAL:
            return [".wx", ".wy", ".wz"]
        case JointType.PLANAR:
            return [".x", ".y", ".angle"]
        case JointType.UNIVERSAL:
            return [".first", ".second"]
        case _:
            return [""] * joint.type.velocities


def _state_columns(recording: Recording) -> Columns:
    columns: Columns = {"time": recording.time}
    velocities = velocity_names(recording.robot)
    for prefix, names, values in (
        ("q", coordinate_names(recording.robot), recording.q),
        ("v", velocities, recording.v),
        ("tau", velocities, recording.tau),
        ("current", motor_names(recording.robot), recording.currents),
    ):
        columns |= {f"{prefix}.{name}": values[:, index] for index, name in enumerate(names)}
    return columns


def _contact_columns(recording: Recording) -> Columns:
    contacts = recording.contacts
    bodies = [body.name for body in recording.robot.bodies]
    columns: Columns = {
        "time": np.repeat(contacts.time, contacts.count),
        "body": [bodies[index] if index >= 0 else "" for index in contacts.body],
    }
    for name in ("position", "normal", "force"):
        values = getattr(contacts, name)
        columns |= {f"{name}.{axis}": values[:, index] for index, axis in enumerate(_AXES)}
    return columns


def _write_csv(recording: Recording, table: Table, file: IO[bytes]) -> None:
    columns = table_columns(recording, table)
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")  # floats by repr, which reads back to the same bits
    writer.writerow(columns)
    writer.writerows(zip(*(np.asarray(column, dtype=object) for column in columns.values()), strict=True))
    text.detach()


def _write_npz(recording: Recording, table: Table, file: IO[bytes]) -> None:
    contacts = recording.contacts
    arrays = {
        **{name: getattr(recording, name) for name in ("time", "q", "v", "tau", "currents")},
        **{
            f"contact_{name}": getattr(contacts, name)
            for name in ("time", "offset", "position", "normal", "force", "body")
        },
        "event_time": np.array([event.time for event in recording.events]),
        "event_name": np.array([event.name for event in recording.events], dtype=np.str_),
        "event_data": np.array(table_columns(recording, Table.EVENTS)["data"], dtype=np.str_),
        "q_names": np.array(coordinate_names(recording.robot), dtype=np.str_),
        "v_names": np.array(velocity_names(recording.robot), dtype=np.str_),
        "motor_names": np.array(motor_names(recording.robot), dtype=np.str_),
        "robot": np.array(toml_text(recording.robot)),
        "scene": np.array(recording.scene_text or ""),
        "metadata": np.array(msgspec.json.encode(dict(recording.metadata)).decode()),
    }
    np.savez_compressed(file, allow_pickle=False, **arrays)


def _write_parquet(recording: Recording, table: Table, file: IO[bytes]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingPackage("Parquet needs pyarrow: pip install 'footfall[parquet]'") from None
    columns = table_columns(recording, table)
    metadata = {f"footfall.{name}": value for name, value in recording.metadata.items()}
    pyarrow.parquet.write_table(pyarrow.table(columns).replace_schema_metadata(metadata), file)


_WRITERS: dict[str, Callable[[Recording, Table, IO[bytes]], None]] = {
    ".csv": _write_csv,
    ".npz": _write_npz,
    ".parquet": _write_parquet,
}
