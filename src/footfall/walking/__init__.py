"""Humanoids that walk in closed loop: what a walk is asked for, the walk, and what it came to."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.walking.body import WalkingBody as WalkingBody
    from footfall.walking.body import walking_body as walking_body
    from footfall.walking.hardware_request import BusQuality as BusQuality
    from footfall.walking.hardware_request import HardwareFault as HardwareFault
    from footfall.walking.identification import FeedForwardSearch as FeedForwardSearch
    from footfall.walking.identification import heard_sweep as heard_sweep
    from footfall.walking.identification import sweep_response as sweep_response
    from footfall.walking.journal import Journal as Journal
    from footfall.walking.journal import read_journal as read_journal
    from footfall.walking.live.ports import PlannerProcess as PlannerProcess
    from footfall.walking.live.runner import Deadlines as Deadlines
    from footfall.walking.live.runner import run_live as run_live
    from footfall.walking.live.session import LiveSession as LiveSession
    from footfall.walking.many import walk_all as walk_all
    from footfall.walking.many import walk_many as walk_many
    from footfall.walking.request import Push as Push
    from footfall.walking.request import WalkRequest as WalkRequest
    from footfall.walking.request import read_request as read_request
    from footfall.walking.request import write_request as write_request
    from footfall.walking.runs import RUNS as RUNS
    from footfall.walking.session import WalkSession as WalkSession
    from footfall.walking.summary import WalkSummary as WalkSummary
    from footfall.walking.vision.service import RecordingSeer as RecordingSeer
    from footfall.walking.vision.service import SceneSeer as SceneSeer
    from footfall.walking.vision.service import SeeingOptions as SeeingOptions
    from footfall.walking.vision.service import VisionService as VisionService
    from footfall.walking.walk import Walk as Walk
    from footfall.walking.walk import walk as walk
    from footfall.walking.walker import Walker as Walker
    from footfall.walking.walker import WalkerOptions as WalkerOptions
    from footfall.walking.walker import WalkingCode as WalkingCode

open_to_users(__name__)
