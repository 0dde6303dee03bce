"""The network, and its answers.

May import: verify.records and below.
"""
