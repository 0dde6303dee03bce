"""What is trained and how long: sizes, recipe, cells, grids; no torch.

May import: arith.verify.data and below.
"""
