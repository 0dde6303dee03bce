"""Predictions against measurements: verdicts, claims, known divergences; no torch.

May import: verify.records and below.
"""
