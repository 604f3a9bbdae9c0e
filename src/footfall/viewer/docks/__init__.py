"""Tabs of controls beside the view of a walk, after the eight tabs of LOLA's control panel (Seiwald 2023, Fig. 7.6)."""
