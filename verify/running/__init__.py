"""Many trainings in many processes, with their results stored as they end.

May import: arith.verify.training and below.
"""
