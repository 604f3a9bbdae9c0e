"""The quadruped of Ayit 2015 trots, falls and jumps, with exact and with penalty contact."""

from footfall.errors import InvalidInput
from footfall.scenarios.quadruped.parameters import Scenario, load_scenario, scenario_names
from footfall.scenarios.quadruped.run import Run, run_scenario
from footfall.scenarios.quadruped.summary import Summary, fall_failures, summarise, write_outputs

__all__ = [
    "InvalidInput",
    "Run",
    "Scenario",
    "Summary",
    "fall_failures",
    "load_scenario",
    "run_scenario",
    "scenario_names",
    "summarise",
    "write_outputs",
]
