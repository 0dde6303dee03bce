"""Predictions for people: sentences, tables, pictures.

May import: arith.theory.studies and below.
"""
