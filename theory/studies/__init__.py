"""Questions that take many predictions: advice, maps over moduli, published findings.

May import: theory.prediction and below.
"""
