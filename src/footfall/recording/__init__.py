"""Recordings: what happened in a run, in one file that needs nothing else to be read and drawn.

`footfall` itself has `read_recording`, `RecordingWriter` and `export_recording`.
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.recording.contacts import ContactTable as ContactTable
    from footfall.recording.export import coordinate_names as coordinate_names
    from footfall.recording.export import motor_names as motor_names
    from footfall.recording.export import velocity_names as velocity_names
    from footfall.recording.reader import Event as Event
    from footfall.recording.ros2 import write_ros2 as write_ros2

open_to_users(__name__)
