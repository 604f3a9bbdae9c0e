"""Which material makes a part stiff for its mass: indices of rods, beams and shafts.

Load, length and mass are given, the cross-section is free (a round bar, I = A^2 / (4 pi)):

    a rod in tension         strain     = F / (E A)          ~ density / E
    a beam, a shaft          curvature  = M / (E I),
                             twist      = T / (2 G I)        ~ density^2 / E   (G / E is nearly the same for metals)

so a light metal wins in bending though all four have the same specific stiffness E / density. Where space is tight and
the cross-section is given, E alone counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Material:
    """density: kg/m3. modulus: E, N/m2. poisson: ratio of transverse to axial strain."""

    density: float
    modulus: float
    poisson: float

    @property
    def specific_stiffness(self) -> float:
        """E / density, m2/s2."""
        return self.modulus / self.density


# Textbook values of the alloys that the structure of LOLA was chosen from.
MATERIALS = {
    "steel X10CrNiS18-9": Material(7900.0, 2.00e11, 0.28),
    "titanium Ti6Al4V": Material(4430.0, 1.14e11, 0.34),
    "aluminium AlZnMgCu1.5": Material(2800.0, 7.1e10, 0.33),
    "magnesium AZ91": Material(1810.0, 4.5e10, 0.35),
}


def area(material: Material, length: float, mass: float) -> float:
    """Cross-section, m2, of a bar of a length, m, and mass, kg."""
    return mass / (material.density * length)


def strain_in_tension(material: Material, force: float, length: float, mass: float) -> float:
    return force / (material.modulus * area(material, length, mass))


def deflection_in_bending(material: Material, force: float, length: float, mass: float) -> float:
    """Of the end of a round cantilever, m: F l^3 / (3 E I)."""
    second_moment = area(material, length, mass) ** 2 / (4.0 * math.pi)
    return force * length**3 / (3.0 * material.modulus * second_moment)


def twist_in_torsion(material: Material, torque: float, length: float, mass: float) -> float:
    """Of a round shaft, rad: T l / (2 G I)."""
    second_moment = area(material, length, mass) ** 2 / (4.0 * math.pi)
    shear = material.modulus / (2.0 * (1.0 + material.poisson))
    return torque * length / (2.0 * shear * second_moment)


def main() -> None:
    print("a round bar of 0.4 m and 1 kg, 100 N along and across, 10 N m about")
    print(f"{'':24}{'E / density':>14}{'strain':>12}{'deflection':>14}{'twist':>12}{'E':>10}")
    for name, material in MATERIALS.items():
        print(
            f"{name:24}{material.specific_stiffness / 1e6:11.1f}e6"
            f"{1e6 * strain_in_tension(material, 100.0, 0.4, 1.0):10.2f} um/m"
            f"{1e3 * deflection_in_bending(material, 100.0, 0.4, 1.0):11.3f} mm"
            f"{1e3 * twist_in_torsion(material, 10.0, 0.4, 1.0):9.3f} mrad"
            f"{material.modulus / 1e9:6.0f} GPa"
        )


if __name__ == "__main__":
    main()
