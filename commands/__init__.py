"""The commands of ``arith``: each reads its options and prints; all else is computed elsewhere.

May import: theory, verify, printing.
"""
