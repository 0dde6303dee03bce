"""Verdicts as pages, tables, figures and JUnit XML; no torch.

May import: theory, verify.plan, verify.records, verify.judging.
"""
