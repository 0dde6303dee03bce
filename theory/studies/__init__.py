"""Questions that take many predictions: advice, maps over moduli, published findings.

May import: arith.theory.learning and below.
"""
