"""Predictions against measurements: verdicts, claims, known divergences; no torch.

May import: arith.verify.records and below.
"""
