"""Verdicts as pages, tables, figures and JUnit XML; no torch.

May import: verify.judging and below.
"""
