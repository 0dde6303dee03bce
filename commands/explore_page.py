"""The parts of the page of ``arith explore``: a prediction, laid out as HTML.

What is shown comes from the theory; here it gets its place on the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, Template

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.effort import LIMIT, budget
from arith.theory.arithmetic.lengths_text import lengths_text
from arith.theory.errors import InvalidInput, TooMuchWork
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.theory.generalization.theorems import THEOREMS
from arith.theory.prediction.digit_use import Use
from arith.theory.prediction.predict import Prediction
from arith.theory.setting.requests import Request, options_of, setting_words
from arith.theory.studies.compare import predicted
from arith.theory.studies.example import Example, ExampleToken, examples
from arith.theory.text import text as words
from arith.theory.text.answer import INPUTS, answer_line, deciding, expected_line, published_lines
from arith.theory.text.length_plot import Measured
from arith.theory.text.phase_plot import listed
from arith.theory.transformer.layouts import SIGN
from arith.verify.data.numerals import numeral
from arith.verify.data.texts import sign_of

MODULI = range(2, 201)
"""Those of the strip."""
USES = {
    Use.READ: "read: training showed other digits there too",
    Use.IGNORED: "ignored: always the same in training, or it cannot change the answer",
    Use.NEVER_SHOWN: "at an address that training never showed",
    Use.OPEN: "open: training does not say whether it is read",
}
"""What the colours of digits mean."""
_AT_ONCE = 40
"""After so many moduli the strip is shown again."""


def answer_html(prediction: Prediction, models: Sequence[Measured] = ()) -> str:
    """The answer for a setting, and what it rests on."""
    setting = prediction.setting
    rows = zip(prediction.lengths, words.length_rows(prediction), strict=True)
    shown = examples(prediction)
    uses = {x.use for each in shown for x in each.tokens if x.use}
    convergence = words.convergence_line(prediction.convergence)
    return part(
        "answer",
        answer=answer_line(prediction).removeprefix("Answer, if the premises are met: "),
        expected=expected_line(prediction),
        about=words.setting_lines(setting),
        examples=[_example(x) for x in shown],
        written=f"{setting.layout.name}: {setting.layout.summary}",
        uses=[(use.name.lower(), text) for use, text in USES.items() if use in uses],
        columns=words.LENGTH_COLUMNS,
        lengths=[_length(prediction, x, row, models) for x, row in rows],
        models=models,
        forecasts=[*words.forecast_lines(prediction, named=True), convergence],
        legend=words.legend(prediction, Decision.UNDECIDED),
        theorems=_theorems(prediction),
        open=_why_open(prediction),
        published=published_lines(prediction, with_reason=True),
        steps=[(x.statement, x.rule, x.source) for x in prediction.derivation],
    )


def controls_html(chief: Mapping[str, Any], more: Mapping[str, Any]) -> str:
    """The controls, those that stand first and the others."""
    helps = {name: option.help for name, option in options_of(Request).items()}
    return part(
        "controls",
        chief=[x.text for x in chief.values()],
        more=[(x.text, helps[n]) for n, x in more.items()],
    )


def command_html(prediction: Prediction) -> str:
    """The command that gives the same answer."""
    command = ["arith predict", *setting_words(prediction.setting)]
    return part("command", command=" ".join(command))


def strips(request: Request, address: Mapping[str, str]) -> Iterator[str]:
    """The accuracy at the longest test length by modulus: the whole strip, as far as it is known.

    What comes between is empty: there a reader may leave.

    Args:
        address: of the page as it is.
    """
    found: dict[int, LengthPrediction | None] = {}
    setting = request.setting()
    if not setting.test_each:
        request = replace(request, test_digits=str(setting.test_lengths[-1]))
    with suppress(TooMuchWork), budget(LIMIT):
        for p in MODULI:
            found[p] = _at_longest(replace(request, modulus=p))
            yield _strip(found, address, True) if p % _AT_ONCE == 0 else ""
    yield _strip(found, address, False)


@lru_cache(maxsize=10_000)
def _at_longest(request: Request) -> LengthPrediction | None:
    """What is predicted at the longest test length; None where the setting makes no sense.

    Raises:
        TooMuchWork: a budget around it is spent.
    """
    found = predicted(request)
    if isinstance(found, TooMuchWork):
        raise found
    return None if isinstance(found, InvalidInput) else found.lengths[-1]


def _strip(
    found: Mapping[int, LengthPrediction | None], address: Mapping[str, str], waits: bool
) -> str:
    known = [x for x in found.values() if x]
    right = [p for p, x in found.items() if x and x.accuracy == 1 and not x.unseen]
    bars = [_bar(p, found[p], address) if p in found else {"modulus": p} for p in MODULI]
    half = len(bars) // 2
    return part(
        "strip",
        halves=[bars[:half], bars[half:]],
        modulus=address.get("modulus", ""),
        digits=words.digits_text(known[0].digits) if known else "",
        right=len(right),
        known=len(known),
        listed=listed(right, 12),
        silent=sum(x.claim == Claim.NONE for x in known),
        waits=waits,
    )


def part(name: str, **values: Any) -> str:
    """A part of the page, as ``explore.html`` lays it out."""
    return _template().render(part=name, **values)


@cache
def _template() -> Template:
    loader = PackageLoader("arith.commands", ".")
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template("explore.html")


def _example(x: Example) -> dict[str, Any]:
    """An input with its answer, and the same in words."""
    base = x.setting.digit_base
    names = x.setting.task.names
    said = [f"{n} = {numeral(v, base)}" for n, v in zip(names, x.operands, strict=True)]
    marks: dict[Use, list[str]] = {}
    for token in x.tokens:
        if token.use:
            marks.setdefault(token.use, []).append(_text(x, token))
    read = [f"{use}: {' '.join(digits)}" for use, digits in marks.items()]
    expected = None if x.expected is None else numeral(x.expected, base)
    return {
        "title": f"{words.digits_text(x.digits)}, {INPUTS[x.direction]}",
        "operands": ", ".join(said),
        "words": f"{', '.join(said)}. Digits {'; '.join(read)}.",
        "tokens": [
            {
                "text": _text(x, token),
                "kind": token.token.kind,
                "use": token.use.name.lower() if token.use else "",
                "wrong": token.wrong,
            }
            for token in x.tokens
        ],
        "right": numeral(x.right, base),
        "expected": expected,
        "is_right": x.expected == x.right,
    }


def _text(x: Example, token: ExampleToken) -> str:
    """A token as it is shown."""
    kind, in_token = token.token.kind, x.setting.train.in_token
    if token.token.symbol == SIGN:
        return sign_of(x.setting.task)
    if kind == "space":
        return "␣"
    if kind == "landmark":
        return token.token.symbol
    if token.value is None:
        return "?"
    if token.value < 0:
        return "−"
    if kind == "marker":
        return f"[{token.value}]"
    if kind == "carry":
        return f"({token.value})"
    text = numeral(token.value, x.setting.digit_base)
    each = in_token if x.setting.layout.in_token > 1 else token.token.digits
    return text.rjust(each, "0")


def _length(
    prediction: Prediction, x: LengthPrediction, row: Sequence[str], models: Sequence[Measured]
) -> dict[str, Any]:
    """A test length as a row of the table, with what its bar shows in percent."""
    forecast = prediction.forecasts.get(x.digits)
    measured = [m for m in models if x.digits in m.accuracy]
    return {
        "row": row,
        "kind": "premise" if prediction.setting.is_premise(x.digits) else _kind(x),
        "low": _percent(x.at_least),
        "high": _percent(x.at_most),
        "at": _percent(x.accuracy if x.accuracy is not None else x.at_most),
        "forecast": forecast
        and {
            "low": _percent(forecast.low),
            "high": _percent(forecast.high),
            "median": _percent(forecast.median),
            "text": f"{forecast.low:.2f} to {forecast.high:.2f}, median {forecast.median:.2f}"
            if forecast.near
            else "nothing near was measured",
        },
        "models": [(_percent(m.accuracy[x.digits][0]), m.name, m.converged) for m in measured],
    }


def _kind(x: LengthPrediction) -> str:
    """How the bar of a claim is drawn."""
    return {Claim.NONE: "open", Claim.EXACT: "exact"}.get(x.claim, "bound")


def _percent(share: Any) -> str:
    return f"{100 * float(share):.2f}"


def _theorems(prediction: Prediction) -> list[dict[str, str]]:
    """The theorems that decide, each with the lengths that it decides."""
    statements = {x.name: x for x in THEOREMS}
    return [
        {
            "at": f"At {lengths_text(lengths)}",
            "names": " and ".join(names),
            "statement": " ".join(statements[n].statement for n in names),
            "basis": " and ".join(dict.fromkeys(str(statements[n].basis) for n in names)),
        }
        for names, lengths in deciding(prediction).items()
    ]


def _why_open(prediction: Prediction) -> list[str]:
    """Why nothing is claimed where nothing is."""
    silent = {x.digits for x in prediction.lengths if x.claim == Claim.NONE}
    steps = [x for x in prediction.derivation if x.leaves_open] if silent else []
    here = [x for x in steps if silent.intersection(x.lengths)]
    return [x.statement for x in here or steps]


def _bar(p: int, x: LengthPrediction | None, address: Mapping[str, str]) -> dict[str, Any]:
    """The bar of a modulus: its height, its kind and its words."""
    kind, height, said = "left-out", 0.0, "makes no sense"
    if x is not None:
        least = x.claim == Claim.AT_LEAST
        height = float(x.at_least if least else x.at_most if x.accuracy is None else x.accuracy)
        kind = _kind(x)
        said = {
            "open": "no claim",
            "exact": f"accuracy {height:.3g}",
            "bound": f"accuracy at {'least' if least else 'most'} {height:.3g}",
        }[kind]
        if x.accuracy == 1 and not x.unseen:
            kind, said = "right", "right on all inputs"
    return {
        "modulus": p,
        "kind": kind,
        "height": f"{max(height, 0.02):.4f}",
        "title": f"modulus {p}: {said}",
        "link": f"?{urlencode({**address, 'modulus': p})}",
    }
