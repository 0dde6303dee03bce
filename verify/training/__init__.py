"""How a model is trained: schedule, optimizer, ensembles, device.

May import: verify.model and below.
"""
