"""What is trained and how long: sizes, recipe, cells, grids, the tokens of an example; no torch.

May import: arith.theory.
"""
