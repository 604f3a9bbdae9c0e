"""The five simulation models of Schwienbacher 2014, table 2.3: what each has, and how many equations that makes."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.errors import UnknownName


@dataclass(frozen=True, slots=True)
class ModelType:
    """mechanical, contact, electrical: degrees of freedom; contact and electrical ones are of first order.

    gear_elasticity, drive_dynamics: whether the model has them. contact_model: of the layer of so many states between
    the soles and the ground, `footfall.contact.sole_layers` makes them: "independent" nodes, or "FEM", elastic blocks.
    """

    number: int
    mechanical: int
    contact: int
    electrical: int
    gear_elasticity: bool
    drive_dynamics: bool
    contact_model: str

    @property
    def robot(self) -> str:
        """Name of the shipped robot with these mechanics; Types 4 and 5 differ from 2 and 3 in their contact alone."""
        return f"lola-2012-type-{self.number if self.number < 4 else self.number - 2}"

    @property
    def robot_with_drives(self) -> str:
        """Name of the shipped robot whose drives a simulation adds, rigid or elastic, if asked to."""
        return "lola-2012" if self.drive_dynamics else self.robot

    @property
    def equations(self) -> int:
        """Differential equations of first order."""
        return 2 * self.mechanical + self.contact + self.electrical


_TYPES = (
    ModelType(1, 6, 48, 0, False, False, "independent"),
    ModelType(2, 30, 48, 24, False, True, "independent"),
    ModelType(3, 46, 48, 24, True, True, "independent"),
    ModelType(4, 30, 864, 24, False, True, "FEM"),
    ModelType(5, 46, 864, 24, True, True, "FEM"),
)


def model_type(number: int) -> ModelType:
    """One of the five types of model, 1 to 5."""
    if number not in range(1, len(_TYPES) + 1):
        raise UnknownName(
            "model type", str(number), [str(each.number) for each in _TYPES], "Schwienbacher 2014, table 2.3"
        )
    return _TYPES[number - 1]


def model_types() -> tuple[ModelType, ...]:
    """All five, in order."""
    return _TYPES
