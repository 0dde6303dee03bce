"""Tasks written as text: ``2*a + 3*b``, ``(a*b + c) % 12``.

The text is read as a syntax tree, never evaluated as Python, and multiplied out.  It holds operand
names, whole numbers and ``+ - * **``, with one ``% p`` around all (``p`` may be a product or power
of numbers).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from itertools import chain, product
from operator import add

from arith.theory.arithmetic.tasks import DIGIT_FUNCTIONS, UNSIGNED, Task, joined
from arith.theory.errors import InvalidInput

NAMES = tuple("abcdefgh")
_ALLOWED = f"only {', '.join(NAMES)}, whole numbers and + - * ** %"
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
"""A function, with the commas between its arguments."""
_LONGEST_TEXT = 500
_DEEPEST = 100
"""Levels of the syntax tree; what reads it, and writes it in errors, calls itself at each."""
_HIGHEST_DEGREE = 8
_LONGEST_NUMBER = 40

Powers = tuple[int, ...]
"""The exponent of each of ``NAMES``."""
Polynomial = Mapping[Powers, int]
"""The coefficient of each product of powers; none is 0."""
_NO_POWERS = (0,) * len(NAMES)
_MISPLACED: dict[type[ast.operator], str] = {
    ast.Mod: "'% p' is allowed once, around the whole expression: (a+b) % 100, not a+b % 100",
    ast.FloorDiv: "'//' is not allowed: a task is a polynomial, reduced by one '% p' if at all",
    ast.BitXor: "'^' is not allowed: powers are written with **, as in a**2",
}


def parse_task(text: str, modulus: int | None = None, results: str = UNSIGNED) -> Task:
    """The task that an expression describes, by the name as written.

    Several expressions, with commas between them, are operations of which an example asks for one.

    Raises:
        InvalidInput: the text is no such expression, or has a modulus besides the one given.
    """
    return joined(text.strip(), [_parsed(x, modulus, results) for x in _expressions(text)])


def _expressions(text: str) -> list[str]:
    """The expressions between commas (InvalidInput: a function is in them)."""
    if called := _CALLED.search(text):
        named = f"functions are tasks of their own: --task {', '.join(DIGIT_FUNCTIONS)}"
        raise InvalidInput(f"'{called[1][:60]}(...)' is not allowed: {_ALLOWED}; {named}")
    return text.split(",")


def _parsed(text: str, modulus: int | None, results: str) -> Task:
    tree, own = _split(text)
    if own is not None:
        if modulus is not None:
            raise InvalidInput("the expression has its own '% p'; leave out --modulus")
        modulus = own
    polynomial = _polynomial(tree)
    written = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used = [i for i, name in enumerate(NAMES) if name in written]
    if not used:
        raise InvalidInput(f"'{text}' has no operand (names: {', '.join(NAMES)})")
    terms = tuple((c, tuple(e[i] for i in used)) for e, c in polynomial.items())
    return Task(text.strip(), terms, tuple(NAMES[i] for i in used), modulus, results)


def own_modulus(text: str) -> int | None:
    """The ``p`` of an expression's own ``% p``, if it has one (InvalidInput: as ``parse_task``).

    What stands before it need not be a task by itself: ``a - b*b`` is one with a modulus only.
    """
    return _split(_expressions(text)[0])[1]


def _split(text: str) -> tuple[ast.expr, int | None]:
    """The syntax tree of an expression without its ``% p``, and that ``p``."""
    if len(text) > _LONGEST_TEXT:
        raise InvalidInput(f"the expression is longer than {_LONGEST_TEXT} characters")
    if "#" in text or not text.isprintable():
        raise InvalidInput("an expression is one line, without '#' and control characters")
    try:
        with warnings.catch_warnings(action="ignore"):  # Python's, on texts that are refused below
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        example = "'(2*a + 3*b) % 12', with * and %"
        raise InvalidInput(f"'{text}' is not an expression such as {example}") from None
    if _is_deep(tree):
        raise InvalidInput(f"the expression is nested more than {_DEEPEST} levels deep")
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mod):
        return tree.left, _number(tree.right)
    return tree, None


def _is_deep(tree: ast.expr) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _number(node: ast.expr, what: str = "") -> int:
    value = _polynomial(node)
    if value.keys() - {_NO_POWERS}:
        raise InvalidInput(f"{what}'{ast.unparse(node)}' has to be a whole number")
    return value.get(_NO_POWERS, 0)


def _polynomial(node: ast.expr) -> Polynomial:
    """What a syntax tree calculates, multiplied out."""
    match node:
        case ast.Name(name):
            if name not in NAMES:
                raise InvalidInput(f"unknown operand '{name}' (allowed: {', '.join(NAMES)})")
            return {tuple(int(x == name) for x in NAMES): 1}
        case ast.Constant(value) if type(value) is int:
            return _collected([(_NO_POWERS, value)])
        case ast.BinOp(left, ast.Pow(), right):
            base, exponent = _polynomial(left), _number(right, "the exponent ")
            if not 0 <= exponent <= _LONGEST_NUMBER:
                limits = f"between 0 and {_LONGEST_NUMBER}"
                raise InvalidInput(f"an exponent has to be {limits}, not {exponent}")
            return reduce(_product, [base] * exponent, {_NO_POWERS: 1})
        case ast.BinOp(left, op, right) if type(op) in _OPERATIONS:
            return _OPERATIONS[type(op)](_polynomial(left), _polynomial(right))
        case ast.UnaryOp(op, operand) if type(op) in _SIGNS:
            return _sum(_SIGNS[type(op)], {}, _polynomial(operand))
        case ast.BinOp(op=op) if type(op) in _MISPLACED:
            raise InvalidInput(_MISPLACED[type(op)])
    raise InvalidInput(f"'{ast.unparse(node)[:60]}' is not allowed: {_ALLOWED}")


def _sum(sign: int, x: Polynomial, y: Polynomial) -> Polynomial:
    """``x + y``, or ``x - y`` where the sign is -1."""
    return _collected(chain(x.items(), ((powers, sign * c) for powers, c in y.items())))


def _product(x: Polynomial, y: Polynomial) -> Polynomial:
    degrees = (max(map(sum, each), default=0) for each in (x, y))
    if x and y and sum(degrees) > _HIGHEST_DEGREE:
        raise InvalidInput(f"the expression has a degree above {_HIGHEST_DEGREE}")
    pairs = product(x.items(), y.items())
    return _collected((tuple(map(add, e, f)), c * d) for (e, c), (f, d) in pairs)


def _collected(terms: Iterable[tuple[Powers, int]]) -> Polynomial:
    """Terms added up (InvalidInput: to a number that is too large to go on with)."""
    found = Counter[Powers]()
    for powers, c in terms:
        found[powers] += c
    if any(abs(c) >= 10**_LONGEST_NUMBER for c in found.values()):
        raise InvalidInput(f"the expression has a number of more than {_LONGEST_NUMBER} digits")
    return {powers: c for powers, c in found.items() if c}


_SIGNS: dict[type[ast.unaryop], int] = {ast.UAdd: 1, ast.USub: -1}
_OPERATIONS: dict[type[ast.operator], Callable[[Polynomial, Polynomial], Polynomial]] = {
    ast.Add: partial(_sum, 1),
    ast.Sub: partial(_sum, -1),
    ast.Mult: _product,
}
