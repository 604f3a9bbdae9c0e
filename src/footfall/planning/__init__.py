"""The contact planner: where a biped puts its feet and hands on its way to a goal; docs/planning.md."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.planning.contacts import Blockage as Blockage
    from footfall.planning.contacts import FootPlacement as FootPlacement
    from footfall.planning.contacts import Goal as Goal
    from footfall.planning.contacts import HandContact as HandContact
    from footfall.planning.contacts import PlannedContacts as PlannedContacts
    from footfall.planning.contacts import SearchEffort as SearchEffort
    from footfall.planning.contacts import Stance as Stance
    from footfall.planning.parameters import PlannerParameters as PlannerParameters
    from footfall.planning.parameters import parameters_for as parameters_for

open_to_users(__name__)
