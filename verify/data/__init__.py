"""Examples: how they are written as tokens, read back, numbered and sampled; no torch.

May import: arith.theory.
"""
