"""Exact probabilities: on which share of the inputs a function is right.

May import: arith.theory.inference and below.
"""
