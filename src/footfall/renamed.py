"""Public names and keywords that have changed: the old ones work for one release, and a warning gives the new ones.

A public name: add its old path and its new one to `RENAMED`. The old path then gives the same thing with a
`DeprecationWarning`, from `import` and as an attribute. A keyword of a function or of a class with an `__init__` or a
`__new__` of its own (records too):

    @renamed_keywords(touching="feet")
    def simulate(robot: Robot, *, feet: Sequence[str] = ()) -> Trajectory: ...

The CHANGELOG has a table of both; a test compares it.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

# Of `footfall.errors`: the old names of each class.
_ERRORS: dict[str, str] = {
    "InvalidInput": """
        ContradictoryLimits DifferentShapes InvalidAction InvalidConstraint InvalidContact InvalidCurve
        InvalidDimensions InvalidGains InvalidGait InvalidKeyframes InvalidKnots InvalidMeasurements
        InvalidOption InvalidParameters InvalidPattern InvalidPlan InvalidPolygon InvalidPolynomial
        InvalidPose InvalidPreview InvalidRecording InvalidReducedModel InvalidReducedModelFile
        InvalidRequest InvalidRotation InvalidRow InvalidScenario InvalidSignal InvalidStep InvalidStudy
        InvalidTask InvalidTime InvalidWheel KernelInputError NoClosedForm NoCollocation NoLogarithm
        NoSupport NoTasks NothingToShow OppositeQuaternions SingularParameters SingularTransmission
        UnknownExport UnreachableFoothold UnreachablePosition
    """,
    "RobotError": """
        BrokenTree DuplicateName ImpossibleInertia InvalidDescription InvalidDrive InvalidValue
        MissingInertia UnknownReference UnsafeDescription
    """,
    "LoopError": "LockedLoop RedundantLoop",
    "MisplacedFrame": "NoSole TurnedLandmark",
    "UnsuitableRobot": "FourLegs NoMass NoReducedModel NotFullyActuated UnclearLandmark",
    "NoSolution": """
        ConflictingConstraints LostMotion NoDescent NoIdleConfiguration NotReachable
        QuadraticProgramFailed
    """,
    "NoPath": "NoRoute NoWay",
    "InvalidTransition": "RefusedStance",
    "TooLate": "ClosedRecording OutdatedPlan",
    "RecordingError": "DamagedRecording RecordingTooLarge UnsupportedRecording",
    "CannotWrite": "RecordingFailed",
    "InvalidMessage": "InvalidChannel",
    "MissingPackage": "MissingBrowser UnguardedViewer",
    "ProgramFailed": "CompilationFailed FailedScreenshot StudyStopped WrongResult",
    "FootfallError": "ViewerError",
    "SceneWarning": "GravityWarning WorldLeftOut",
    "RobotWarning": "MissingMeshWarning",
    "SimulationWarning": """
        BelowGroundWarning DivergedWarning ManyContactsWarning PenaltyWarning RestlessJointsWarning
        SingularLoopWarning StartsInside TooManyCandidates
    """,
    "ControlWarning": "ContactWarning LostDirection SaturatedTorque StepWarning",
}

RENAMED: dict[str, str] = {
    "footfall.contact.touches_of": "footfall.contact.contacts_of",
    "footfall.ik.Problem": "footfall.ik.VelocityProblem",
    "footfall.ik.State": "footfall.ik.JointState",
    "footfall.ik.solve_hierarchical_qp": "footfall.ik.solve_hierarchy",
    "footfall.simulation.TouchLog": "footfall.simulation.ContactLog",
    **{
        f"footfall.errors.{old}": f"footfall.errors.{new}"
        for new, olds in _ERRORS.items()
        for old in olds.split()
    },
}
"""Old public path to new public path, such as "footfall.contact.Old" to "footfall.contact.New"."""

Renamed = TypeVar("Renamed", bound=Callable[..., Any])


def renamed_keywords(**new_names: str) -> Callable[[Renamed], Renamed]:
    """Let a function or a class take old keywords too, with a warning.

    new_names: the new keyword for each old one. Giving both is a `TypeError`, as giving a keyword twice is.
    """

    def decorate(target: Renamed) -> Renamed:
        if not isinstance(target, type):
            accepting: Renamed = _accepting(target, target.__name__, new_names)
            return accepting
        maker = "__init__" if "__init__" in vars(target) else "__new__"
        setattr(target, maker, _accepting(getattr(target, maker), target.__name__, new_names))
        return target

    return decorate


def _accepting(function: Any, name: str, new_names: dict[str, str]) -> Any:
    @functools.wraps(function)
    def accept(*args: Any, **keywords: Any) -> Any:
        for old in new_names.keys() & keywords.keys():
            new = new_names[old]
            if new in keywords:
                raise TypeError(f"{name}() got {new!r} and its old name {old!r}: give {new!r} alone")
            warn_renamed(f"{name}({old}=)", f"{new}=", depth=3)
            keywords[new] = keywords.pop(old)
        return function(*args, **keywords)

    return accept


def warn_renamed(old: str, new: str, *, depth: int) -> None:
    """Say what something is called now. depth: stack frames up to the caller who wrote the old name."""
    message = f"{old} is now {new}; the old name goes with the next release"
    warnings.warn(message, DeprecationWarning, stacklevel=depth)
