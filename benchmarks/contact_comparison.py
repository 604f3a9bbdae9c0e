"""The same robots, standing, dropped and moving, in ours and in MuJoCo: a table as Markdown, and a plot.

python benchmarks/contact_comparison.py [--causes] [--plot FILE.png]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

from benchmarks.lab.contact_comparison import causes_table, comparison_table, plot_comparison

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--plot", type=Path, help="draw some of the runs instead")
    parser.add_argument("--causes", action="store_true", help="what MuJoCo's step and creep do, instead")
    options = parser.parse_args()
    if options.plot:
        plot_comparison(options.plot)
    elif options.causes:
        print(causes_table())
    else:
        print(comparison_table())
