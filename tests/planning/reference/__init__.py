"""The search as Seiwald 2023 describes it (chapter 5): plain Python that can be read beside the book, slow, and sharing
only parameters with the planner itself. Tests compare the two."""
