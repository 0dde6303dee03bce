"""Predictions against measurements: verdicts, claims, known divergences; no torch.

May import: theory, verify.plan, verify.records.
"""
