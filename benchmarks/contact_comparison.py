"""The same robots, standing, dropped and moving, in ours and in MuJoCo: a table as Markdown.

python benchmarks/contact_comparison.py
"""

from footfall.benchmarks.contact_comparison import comparison_table

if __name__ == "__main__":
    print(comparison_table())
