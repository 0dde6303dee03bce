"""Exact integers in arrays, shares in words, and how much work a count may take.

May import: arith.theory.errors.
"""
