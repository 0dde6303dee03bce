"""Predictions for people: sentences, tables, maps.

May import: theory.studies and below.
"""
