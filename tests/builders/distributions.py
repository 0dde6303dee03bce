"""Distributions mod p, drawn at random and read residue by residue."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from arith.theory.counting.residues import Residues

HUGE = 10**50


def counts(x: Residues) -> list[int]:
    """The counts of a well-formed distribution, residue by residue."""
    assert isinstance(x.level, int)
    assert x.level >= 0
    assert x.extra.dtype in (np.int64, object)
    assert (x.extra >= 0).all()
    return [x.count(r) for r in range(x.p)]


@st.composite
def residues(draw: st.DrawFn, p: int) -> Residues:
    """Any distribution mod p; its entries small, large, huge or mixed, its level too."""
    entry = st.sampled_from((1, 3, 2**40, 2**61, 10**60)).flatmap(lambda m: st.integers(0, m))
    extra = draw(st.lists(st.one_of(st.just(0), entry), min_size=p, max_size=p))
    dtype = np.int64 if max(extra) < 2**62 else object
    return Residues(draw(st.sampled_from((0, 0, 1, 7, HUGE))), np.array(extra, dtype=dtype))


def several(number: int, largest: int) -> st.SearchStrategy[tuple[Residues, ...]]:
    """So many distributions mod one p, p from 1 to the largest."""
    return st.integers(1, largest).flatmap(lambda p: st.tuples(*[residues(p)] * number))
