"""The network, and its answers.

May import: arith.verify.records and below.
"""
