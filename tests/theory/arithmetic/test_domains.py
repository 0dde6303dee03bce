"""Domains against the list of their inputs, each with its probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic import domains
from arith.theory.arithmetic.domains import KINDS, Domain, Weights
from arith.theory.arithmetic.tasks import digit_count
from arith.theory.errors import InvalidInput

Input = tuple[int, ...]


def listed(domain: Domain, base: int, operands: int) -> dict[Input, Fraction]:
    """Every input of a domain with its probability."""
    by_length: dict[int, dict[Input, Fraction]] = {n: {} for n in domain.every_length}
    inputs = product(range(base ** max(domain.every_length)), repeat=operands)
    widths = {x: tuple(digit_count(v, base) for v in x) for x in inputs}
    kept = {x: w for x, w in widths.items() if has(domain, x, w, base)}
    alike = Counter(kept.values())
    for x, w in kept.items():
        n = sum(w) if domain.kind == "total" else max(w)
        weight = Fraction(1)
        if domain.weights != "uniform" and domain.kind in ("lengths", "total"):
            weight = Fraction(1, alike[w])
        elif domain.weights != "uniform" and domain.kind == "coin":
            weight = Fraction(w.count(n))
        by_length[n][x] = weight
    primed = dict(domain.priming)
    main = {n: Fraction(sum(by_length[n].values())) for n in domain.lengths}
    if domain.weights == "balanced" or (domain.natural and not domain.weights and not domain.each):
        main = dict.fromkeys(main, Fraction(1))
    elif not isinstance(domain.weights, str):
        main = dict(domain.weights)
    rest = 1 - sum(primed.values(), Fraction(0))
    shares = {n: rest * weight / sum(main.values()) for n, weight in main.items()} | primed
    whole = {n: sum(some.values()) for n, some in by_length.items()}
    return {
        x: shares[n] * weight / whole[n]
        for n, some in by_length.items()
        for x, weight in some.items()
    }


def has(domain: Domain, x: Input, widths: Input, base: int) -> bool:
    """Whether an input is in a domain, by the words that describe its kind."""
    n = sum(widths) if domain.kind == "total" else max(widths)
    if n not in domain.every_length or (domain.kind == "every" and len({*widths}) > 1):
        return False
    if domain.each and any(w not in each for w, each in zip(widths, domain.each, strict=True)):
        return False
    return all(
        (domain.natural and w < i) or v // base ** (i - 1) % base in digits
        for i, digits in domain.allowed
        for v, w in zip(x, widths, strict=True)
    )


def cut(domain: Domain, base: int, operands: int) -> Iterator[tuple[Input, Fraction]]:
    """The inputs of the boxes of a domain, each with its probability."""
    for box, weight in domain.weighted_boxes(base, operands):
        numbers = [[_value(digits, base) for digits in product(*row)] for row in box.digits]
        for x in product(*numbers):
            yield x, weight / box.size


def _value(digits: tuple[int, ...], base: int) -> int:
    return sum(digit * base**i for i, digit in enumerate(digits))


@st.composite
def some_domains(draw: st.DrawFn) -> tuple[Domain, int, int]:
    """A domain small enough to be listed, a base, and a number of operands."""
    base, operands = draw(st.sampled_from(((2, 2), (2, 3), (3, 2), (2, 2), (4, 1))))
    kind, natural = draw(st.sampled_from(KINDS)), draw(st.booleans())
    longest = {1: 4, 2: 4, 3: 3}[operands] - (base == 3)
    least = operands if kind == "total" else 1
    lengths = tuple(draw(st.sets(st.integers(least, max(longest, least)), min_size=1)))
    each: tuple[tuple[int, ...], ...] = ()
    if kind in ("longest", "lengths") and draw(st.booleans()):
        some = st.sets(st.integers(1, longest), min_size=1).map(tuple)
        each, lengths = tuple(draw(some) for _ in range(operands)), ()
    domain = Domain(lengths, kind, each=each, natural=natural)
    table = tuple((n, Fraction(draw(st.integers(1, 9)))) for n in domain.lengths)
    weights = draw(st.sampled_from(("", "", "balanced", "uniform", table)))
    allowed = ()
    if draw(st.booleans()):
        digits = draw(st.sets(st.integers(0, base - 1), min_size=1))
        allowed = ((draw(st.integers(1, longest)), tuple(sorted(digits))),)
    priming = ()
    if not each and max(lengths) < longest and draw(st.booleans()):
        priming = ((longest, Fraction(1, 3)),)
    found = replace(domain, weights=weights, allowed=allowed, priming=priming)
    kept = tuple(n for n in found.every_length if found.has_operands(n, operands, base))
    every = kept == found.every_length
    return (found if every else replace(found, allowed=())), base, operands


@given(some_domains())
def test_boxes_are_the_inputs_of_a_domain_as_often_as_they_are_met(
    some: tuple[Domain, int, int],
) -> None:
    domain, base, operands = some
    found = list(cut(*some))
    assert dict(found) == listed(*some)
    assert len(found) == len(dict(found))  # the boxes are disjoint
    most = sum(domain.number_of_boxes(n, operands) for n in domain.every_length)
    assert len(domain.boxes(base, operands)) <= most
    for x in product(range(base ** max(domain.every_length)), repeat=operands):
        assert domain.contains(x, base) == (x in dict(found))


@given(some_domains())
def test_layers_weigh_the_inputs_of_one_length_as_they_are_met(
    some: tuple[Domain, int, int],
) -> None:
    domain, base, operands = some
    for n in domain.every_length:
        weights: Counter[Input] = Counter()
        for weight, box in domain.of_length(n).layers(base, operands):
            numbers = [[_value(digits, base) for digits in product(*row)] for row in box.digits]
            for x in product(*numbers):
                weights[x] += weight  # type: ignore[assignment]
        whole = sum(weights.values())
        shares = {x: Fraction(weight, whole) for x, weight in weights.items() if weight}
        assert shares == listed(domain.of_length(n), base, operands)


@given(some_domains(), st.sampled_from([Fraction(1, n) for n in (2, 5, 17, 60, 400)]))
def test_lengths_that_are_rare_do_not_count_as_shown(
    some: tuple[Domain, int, int], least: Fraction
) -> None:
    domain, base, operands = some
    shares: Counter[Input] = Counter()
    for x, share in listed(*some).items():
        shares[tuple(digit_count(v, base) for v in x)] += share  # type: ignore[assignment]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(domains, "LEAST_SHARE", least)
        for widths in product(range(1, 6), repeat=operands):
            assert domain.shows_lengths(widths, base) == (shares[widths] >= least)
        met = {n: Fraction(0) for n in domain.lengths}
        for widths, share in shares.items():
            met[domain.length_of(widths)] = met.get(domain.length_of(widths), 0) + share
        met = {n: share for n, share in met.items() if share >= least and n in domain.lengths}
        if domain.weights in ("balanced", "uniform") and met and not domain.priming:
            assert set(domain.met(base, operands).lengths) == set(met)


@given(some_domains(), some_domains())
def test_what_is_covered_is_shown(
    some: tuple[Domain, int, int], other: tuple[Domain, int, int]
) -> None:
    train, base, operands = some
    test = replace(other[0], natural=train.natural, weights="", priming=())
    if other[1:] != some[1:]:
        return
    shown = listed(*some)
    for n in test.every_length:
        if train.covers(test.of_length(n), base, operands):
            assert set(listed(test.of_length(n), base, operands)) <= set(shown)


def test_lengths_of_each_operand() -> None:
    """Ten tuples of lengths are alike, or all operand tuples, or the lengths of the longest."""
    domain = Domain((), "lengths", each=((1, 2, 3, 4, 5), (1, 2)))
    assert domain.lengths == (1, 2, 3, 4, 5) and domain.text() == "D_1-5x1-2"
    for weights, share in (
        ("", Fraction(1, 10)),
        ("balanced", Fraction(1, 5) / 2),
        (tuple((n, Fraction(6 if n == 5 else 1)) for n in range(1, 6)), Fraction(6, 10) / 2),
        ("uniform", Fraction(9 * 10**4 * 10, 10**5 * 10**2)),
    ):
        shares = {
            tuple(
                max(i for i, values in enumerate(row, 1) if values != (0,)) for row in box.digits
            ): x
            for box, x in replace(domain, weights=weights).weighted_boxes(10, 2)
        }
        assert len(shares) == 10 and sum(shares.values()) == 1 and shares[5, 1] == share


def test_a_coin_picks_the_operand_that_is_long() -> None:
    """Both are long in .9 of the examples of the published code, and in .82 of all pairs."""
    for kind, share in (("coin", Fraction(9, 10)), ("longest", Fraction(9, 11))):
        inputs = listed(Domain((2,), kind), 10, 2)
        assert sum(weight for x, weight in inputs.items() if min(x) > 9) == share
        assert dict(cut(Domain((2,), kind), 10, 2)) == inputs


@pytest.mark.parametrize(
    ("weights", "error"),
    [
        ("often", "unknown weights 'often' .balanced, uniform, or LENGTH:WEIGHT"),
        (((1, Fraction(1)),), "each of the lengths once: 1..2 digits"),
        (((1, Fraction(1)), (2, Fraction(1)), (2, Fraction(1))), "each of the lengths once"),
        (((1, Fraction(0)), (2, Fraction(1))), "at least 1e-06 of all"),
        (((1, Fraction(1)), (2, Fraction(9_999_999))), "at least 1e-06 of all"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights: Weights, error: str) -> None:
    with pytest.raises(InvalidInput, match=error):
        Domain((1, 2), weights=weights)
