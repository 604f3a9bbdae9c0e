"""Methods of the sources as plants of their own: sweeps and impacts in sequence, springs, smooth forces, layers."""
