"""Every error that footfall raises on purpose, and its warnings; `base.py` has the rules that they keep."""

from footfall.errors.base import *
from footfall.errors.compiler import *
from footfall.errors.control import *
from footfall.errors.dynamics import *
from footfall.errors.environment import *
from footfall.errors.math import *
from footfall.errors.programs import *
from footfall.errors.recording import *
from footfall.errors.robot import *
from footfall.errors.simulation import *
from footfall.errors.walking import *

__all__ = sorted(
    name for name, value in vars().items() if isinstance(value, type) and issubclass(value, Exception)
)
