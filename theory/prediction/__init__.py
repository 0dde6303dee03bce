"""A prediction: what the theorems say of each length, why in words, and what stands beside it.

Beside it stand forecasts, what others say of the same setting, and one input digit by digit.

May import: arith.theory.generalization and below.
"""
