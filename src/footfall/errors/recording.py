"""What can go wrong with a recording."""

from __future__ import annotations

from footfall.errors.base import FootfallError


class RecordingError(FootfallError, ValueError):
    """Base of all errors about recordings."""


class InvalidRow(RecordingError):
    """A state, contact or event that cannot be recorded: wrong shape, or a time that is not later."""


class ClosedRecording(RecordingError):
    """A recording that is written to after it was closed."""


class RecordingFailed(RecordingError, OSError):
    """A recording that cannot be written any further, as when a disk is full; its cause says why."""


class DamagedRecording(RecordingError):
    """A file of which nothing can be used: no recording, or cut off before the robot's description."""


class UnsupportedRecording(RecordingError):
    """A recording of another format version, or with a compression that is not ours."""


class RecordingTooLarge(RecordingError):
    """A recording beyond the limits of the reader."""


class UnknownExport(RecordingError):
    """A suffix that no export format has."""
