"""Verdicts as pages, tables, figures and JUnit XML; no torch.

May import: arith.verify.judging and below.
"""
