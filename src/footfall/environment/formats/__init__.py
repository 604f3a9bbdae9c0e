"""Files that others read too: PLY for meshes and points, PNM for pictures, PCD for points; all with limits."""
