"""What can go wrong in scenarios, in the viewer and when measuring."""

from __future__ import annotations

from footfall.errors.base import FootfallError, FootfallWarning


class InvalidScenario(FootfallError, ValueError):
    """A scenario whose parameters cannot be."""


class UnreachableFoothold(FootfallError, ValueError):
    """A place where a foot shall be that the leg does not reach."""


class ViewerError(FootfallError):
    """Base of all errors of the viewer."""


class NothingToShow(ViewerError, ValueError):
    """A recording without states, or a time outside of it."""


class UnguardedViewer(ViewerError, RuntimeError):
    """A server that could not be given its checks."""


class PortInUse(ViewerError, OSError):
    """A port that another program listens on."""


class MissingBrowser(ViewerError, FileNotFoundError):
    """No Chromium to take pictures with."""


class FailedScreenshot(ViewerError, RuntimeError):
    """A browser that gave no picture."""


class ViewerWarning(FootfallWarning):
    """Something that cannot be drawn as described."""


class DifferentShapes(FootfallError, ValueError):
    """Two results that cannot be compared."""


class WrongResult(FootfallError, ArithmeticError):
    """Two contestants disagree: their times mean nothing."""


class CompilationFailed(FootfallError, RuntimeError):
    """The C++ compiler did not accept the loops; the message has what it said."""


class InvalidStudy(FootfallError, ValueError):
    """A study that cannot be run: its file, its parameters, or results that belong to another one."""


class StudyStopped(FootfallError, RuntimeError):
    """A study that cannot go on: a worker with other code, a cluster that is gone, a full disk. What ran is kept."""
