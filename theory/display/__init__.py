"""Predictions for people: sentences, tables, maps.

May import: arith.theory.studies and below.
"""
