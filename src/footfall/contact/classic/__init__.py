"""The classic methods of contact, a chapter to read beside the engine: each on the same problem, judged by the same
validator.

A contact problem is a value (`contact/problem.py`: `w = (W + C) p + b`), its law is written once (`contact/law.py`),
and `contact/validation.py` judges impulses without knowing who found them. The engine solves islands of found contacts
(`contact/islands/`); here are the methods that one meets in the literature, in the order of a textbook:

| section | file |
|---|---|
| the cone as a pyramid, contact as a linear complementarity problem (Stewart and Trinkle) | `pyramid.py` |
| pivoting: a solution or a ray (Lemke) | `complementarity.py` |
| complementarity as equations: Newton's method on the function of Fischer and Burmeister | `complementarity.py` |
| complementarity as a path: Mehrotra's interior points | `complementarity.py` |
| sweeps over contacts, each solved exactly (projected Gauss-Seidel; the scheme of Ayit 2015) | `gauss_seidel.py` |
| sweeps, then Newton's method on the natural map of the exact cone | `hybrid.py` |
| one impact after the other (Mirtich and Canny) | `impacts.py` |

And of detection:

| section | file |
|---|---|
| which boxes overlap: all pairs, sweep and prune, hashed grids | `broad_phase.py` |
| polyhedra and their features; walks from feature to feature (V-Clip) | `polyhedron.py`, `v_clip.py` |
| contact manifolds of faces, by clipping | `v_clip.py` |

Hierarchies of boxes are in `geometry/hierarchy.py`, where meshes need them.
"""
