"""Tasks written as text: ``2*a + 3*b``, ``(a*b + c) % 12``.

The text is read as a syntax tree, never evaluated as Python, and SymPy multiplies it out.  It holds
operand names, whole numbers and ``+ - * **``, with one ``% p`` around all (``p`` may be a product
or power of numbers).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from functools import cache, reduce
from operator import add, mul, neg, pos, sub
from typing import TYPE_CHECKING, Any

from arith.theory.arithmetic.tasks import DIGIT_FUNCTIONS, UNSIGNED, Task, joined
from arith.theory.errors import InvalidInput

if TYPE_CHECKING:
    from sympy.polys.rings import PolyElement, PolyRing

NAMES = tuple("abcdefgh")
_ALLOWED = f"only {', '.join(NAMES)}, whole numbers and + - * ** %"
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
"""A function, with the commas between its arguments."""
_LONGEST_TEXT = 500
_DEEPEST = 100
"""Levels of the syntax tree; what reads it, and writes it in errors, calls itself at each."""
_HIGHEST_DEGREE = 8
_LONGEST_NUMBER = 40

_OPERATIONS: dict[type[ast.operator | ast.unaryop], Callable[..., Any]] = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
    ast.UAdd: pos,
    ast.USub: neg,
}
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
    terms = tuple((int(c), tuple(e[i] for i in used)) for e, c in polynomial.terms())
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
    return bool(level)


@cache
def _ring() -> PolyRing:
    from sympy import ZZ
    from sympy.polys.rings import PolyRing

    return PolyRing(NAMES, ZZ)


def _number(node: ast.expr, what: str = "") -> int:
    value = _polynomial(node)
    if not value.is_ground:
        raise InvalidInput(f"{what}'{ast.unparse(node)}' has to be a whole number")
    return int(value.const())


def _polynomial(node: ast.expr) -> PolyElement:
    """What a syntax tree calculates, multiplied out."""
    match node:
        case ast.Name(name):
            if name not in NAMES:
                raise InvalidInput(f"unknown operand '{name}' (allowed: {', '.join(NAMES)})")
            return _ring().gens[NAMES.index(name)]
        case ast.Constant(value) if type(value) is int:
            return _checked(_ring()(value))
        case ast.BinOp(left, ast.Pow(), right):
            base, exponent = _polynomial(left), _number(right, "the exponent ")
            if not 0 <= exponent <= _LONGEST_NUMBER:
                limits = f"between 0 and {_LONGEST_NUMBER}"
                raise InvalidInput(f"an exponent has to be {limits}, not {exponent}")
            return reduce(lambda x, y: _checked(x * y), [base] * exponent, _ring().one)
        case ast.BinOp(left, op, right) if type(op) in _OPERATIONS:
            return _checked(_OPERATIONS[type(op)](_polynomial(left), _polynomial(right)))
        case ast.UnaryOp(op, operand) if type(op) in _OPERATIONS:
            return _OPERATIONS[type(op)](_polynomial(operand))
        case ast.BinOp(op=op) if type(op) in _MISPLACED:
            raise InvalidInput(_MISPLACED[type(op)])
    raise InvalidInput(f"'{ast.unparse(node)[:60]}' is not allowed: {_ALLOWED}")


def _checked(polynomial: PolyElement) -> PolyElement:
    """A polynomial that is not too large to go on with."""
    if max(map(sum, polynomial.itermonoms()), default=0) > _HIGHEST_DEGREE:
        raise InvalidInput(f"the expression has a degree above {_HIGHEST_DEGREE}")
    if any(abs(c) >= 10**_LONGEST_NUMBER for c in polynomial.itercoeffs()):
        raise InvalidInput(f"the expression has a number of more than {_LONGEST_NUMBER} digits")
    return polynomial
