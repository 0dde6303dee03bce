"""Exact integers in arrays, and how much work a count may take.

May import: arith.theory.errors.
"""
