"""Predictions for people: sentences, tables, maps.

May import: every other room of theory.
"""
