"""Arithmetic digit by digit: the automaton of a linear form, run over sets and over counts.

May import: arith.theory.setting and below.
"""
