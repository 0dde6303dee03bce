"""How a model is trained: schedule, optimizer, ensembles, device.

May import: arith.verify.model and below.
"""
