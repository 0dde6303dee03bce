"""Many trainings in many processes, with their results stored as they end.

May import: verify.training and below.
"""
