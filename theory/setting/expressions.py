"""Tasks written as text: ``2*a + 3*b``, ``(a*b + c) % 12``, ``(a + b) // 10``.

The text is read as a syntax tree, never evaluated as Python.  It holds operand names, whole numbers
and ``+ - * **``, with one ``// q`` around the polynomial and one ``% p`` around all (``q`` and
``p`` may be products and powers of numbers).
"""

from __future__ import annotations

import ast
from functools import reduce

from arith.theory.errors import InvalidInput
from arith.theory.setting.tasks import Task

NAMES = ("a", "b", "c", "d")
_LONGEST_TEXT = 500
_DEEPEST = 100
"""Levels of the syntax tree; what reads it, and writes it in errors, calls itself at each."""
_HIGHEST_DEGREE = 8
_LONGEST_NUMBER = 40
_MOST_TERMS = 200

_MISPLACED: dict[type[ast.operator], str] = {
    ast.Mod: "'% p' is allowed once, around the whole expression: (a+b) % 100, not a+b % 100",
    ast.FloorDiv: "'// q' is allowed once, around the whole polynomial: (a+b) // 10, not a+b // 10",
    ast.BitXor: "'^' is not allowed: powers are written with **, as in a**2",
}

_Poly = dict[tuple[int, ...], int]
"""A polynomial: the coefficient of each tuple of exponents, one exponent per name."""


def parse_task(text: str, modulus: int | None = None) -> Task:
    """The task that an expression describes, by the name as written.

    Raises:
        InvalidInput: the text is no such expression, or has a modulus besides the one given.
    """
    tree, own = _split(text)
    if own is not None:
        if modulus is not None:
            raise InvalidInput("the expression has its own '% p'; leave out --modulus")
        modulus = own
    divisor = 1
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.FloorDiv):
        divisor, tree = _number(tree.right), tree.left
    polynomial = _polynomial(tree)
    written = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used = [i for i, name in enumerate(NAMES) if name in written]
    if not used:
        raise InvalidInput(f"'{text}' has no operand (names: {', '.join(NAMES)})")
    terms = tuple((c, tuple(e[i] for i in used)) for e, c in polynomial.items())
    return Task(text.strip(), terms, tuple(NAMES[i] for i in used), modulus, divisor)


def own_modulus(text: str) -> int | None:
    """The ``p`` of an expression's own ``% p``, if it has one (InvalidInput: as ``parse_task``).

    What stands before it need not be a task by itself: ``a - b*b`` is one with a modulus only.
    """
    return _split(text)[1]


def _split(text: str) -> tuple[ast.expr, int | None]:
    """The syntax tree of an expression without its ``% p``, and that ``p``."""
    if len(text) > _LONGEST_TEXT:
        raise InvalidInput(f"the expression is longer than {_LONGEST_TEXT} characters")
    if "#" in text or not text.isprintable():
        raise InvalidInput("an expression is one line, without '#' and control characters")
    try:
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


def _number(node: ast.expr, what: str = "") -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        if node.value >= 10**_LONGEST_NUMBER:
            raise InvalidInput(f"a number in the expression has more than {_LONGEST_NUMBER} digits")
        return node.value
    if not isinstance(node, ast.Constant):
        polynomial = {e: c for e, c in _polynomial(node).items() if c}
        if not any(map(any, polynomial)):
            return sum(polynomial.values())
    raise InvalidInput(f"{what}'{ast.unparse(node)}' has to be a whole number")


def _polynomial(node: ast.expr) -> _Poly:
    if isinstance(node, ast.Name):
        if node.id not in NAMES:
            raise InvalidInput(f"unknown operand '{node.id}' (allowed: {', '.join(NAMES)})")
        return {tuple(int(n == node.id) for n in NAMES): 1}
    if isinstance(node, ast.Constant):
        return {(0,) * len(NAMES): _number(node)}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        sign = -1 if isinstance(node.op, ast.USub) else 1
        return {e: sign * c for e, c in _polynomial(node.operand).items()}
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Pow):
            return _power(_polynomial(node.left), _number(node.right, "the exponent "))
        if type(node.op) in _MISPLACED:
            raise InvalidInput(_MISPLACED[type(node.op)])
        if isinstance(node.op, ast.Add | ast.Sub):
            sign = -1 if isinstance(node.op, ast.Sub) else 1
            left, right = _polynomial(node.left), _polynomial(node.right)
            return {e: left.get(e, 0) + sign * right.get(e, 0) for e in left | right}
        if isinstance(node.op, ast.Mult):
            return _product(_polynomial(node.left), _polynomial(node.right))
    raise InvalidInput(
        f"'{ast.unparse(node)[:60]}' is not allowed: only {', '.join(NAMES)}, "
        "whole numbers and + - * ** // %"
    )


def _product(left: _Poly, right: _Poly) -> _Poly:
    out: _Poly = {}
    for e1, c1 in left.items():
        for e2, c2 in right.items():
            exponents = tuple(x + y for x, y in zip(e1, e2, strict=True))
            out[exponents] = out.get(exponents, 0) + c1 * c2
    if max(map(sum, out)) > _HIGHEST_DEGREE:
        raise InvalidInput(f"the expression has a degree above {_HIGHEST_DEGREE}")
    if any(abs(c) >= 10**_LONGEST_NUMBER for c in out.values()):
        raise InvalidInput(
            f"multiplied out, the expression has a number of more than {_LONGEST_NUMBER} digits"
        )
    if len(out) > _MOST_TERMS:
        raise InvalidInput(f"multiplied out, the expression has more than {_MOST_TERMS} terms")
    return out


def _power(base: _Poly, exponent: int) -> _Poly:
    most = _HIGHEST_DEGREE if any(map(any, base)) else _LONGEST_NUMBER
    if not 0 <= exponent <= most:
        raise InvalidInput(f"an exponent has to be between 0 and {most} here, not {exponent}")
    return reduce(_product, [base] * exponent, {(0,) * len(NAMES): 1})
