"""What the scripts beside this folder measure and study with; `footfall.bench` has what `footfall bench` needs."""
