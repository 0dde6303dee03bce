"""The four theorems: what follows at a test length from what training shows.

May import: arith.theory.counting and below.
"""
