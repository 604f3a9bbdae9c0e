"""Many runs: what is varied, how often it is run and what is measured, as one value; on all cores or on a cluster."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.studies.conduct import StudyProgress as StudyProgress
    from footfall.studies.conduct import run_study as run_study
    from footfall.studies.experiments import EXPERIMENTS as EXPERIMENTS
    from footfall.studies.experiments import Experiment as Experiment
    from footfall.studies.search import SearchResult as SearchResult
    from footfall.studies.search import run_search as run_search
    from footfall.studies.statistics import Interval as Interval
    from footfall.studies.statistics import mean_interval as mean_interval
    from footfall.studies.statistics import median_interval as median_interval
    from footfall.studies.statistics import share_interval as share_interval
    from footfall.studies.study import Draws as Draws
    from footfall.studies.study import Limit as Limit
    from footfall.studies.study import Search as Search
    from footfall.studies.study import Span as Span
    from footfall.studies.study import Study as Study
    from footfall.studies.study import read_study as read_study
    from footfall.studies.study import study_names as study_names
    from footfall.studies.tables import Cell as Cell
    from footfall.studies.tables import StudyResult as StudyResult

open_to_users(__name__)
