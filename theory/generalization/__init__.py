"""The four theorems: from what training shows to a prediction, and its reasons in words.

May import: arith.theory.counting and below.
"""
