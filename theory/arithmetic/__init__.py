"""Tasks, domains, the automaton of a linear form, residues, exact numbers and work.

May import: arith.theory.errors.
"""
