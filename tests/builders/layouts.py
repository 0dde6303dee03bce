"""The layouts by how numbers are written in them."""

from arith.theory.transformer.layouts import LAYOUTS

PADDED = [
    name
    for name, layout in LAYOUTS.items()
    if not (layout.hinted or layout.scratchpad or layout.spaced)
]
"""Those of padded operands."""
NATURAL = [name for name, layout in LAYOUTS.items() if layout.marked]
"""Those of natural lengths."""
