"""Numbering: what tells places from tokens, where numbers have their natural lengths."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Numbering:
    """What has to be known of an alphabet and an encoding to tell places from tokens.

    Args:
        base: tokens below it are digits; the landmarks follow.
        end: the token that ends an example; the next one is padding, those above are markers.
        operands: how many there are.
        by_weight: digits are numbered by weight, and the landmarks have 0, beside the units;
            otherwise landmarks have no number.
        from_end: the digits of operands are numbered from where the operand ends.
        together: how many digits of one weight stand together in the interleaved layout; 0 in
            other layouts.
        unnumbered: the tokens of spaces and blanks, which have no number.
        after: how many tokens may follow ``=`` before the end, by the digits of the longest operand
            from 1 on; empty where no indices are drawn.
        bos: whether a landmark stands before the first number.
    """

    base: int
    end: int
    operands: int
    by_weight: bool
    from_end: bool
    together: int
    unnumbered: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    bos: bool = True
