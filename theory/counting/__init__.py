"""Exact shares: where f^ is right, and how often the best guess without a digit can be.

May import: arith.theory.observation and below.
"""
