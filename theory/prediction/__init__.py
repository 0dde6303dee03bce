"""A setting in, a prediction out: verdict, exact accuracy per length, derivation.

May import: arith.theory.learning and below.
"""
