"""The controls of ``arith explore``: one for each option of a setting.

The state of the page is its address: the text of each option, as the command line takes it, but for
those that have their default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arith.theory.arithmetic.tasks import DIGIT_FUNCTIONS, TASKS, takes_modulus
from arith.theory.setting.requests import Request, default_text, options_of, types_of
from arith.theory.transformer.layouts import LAYOUTS

FIRST = {"task": "mod_add", "modulus": "101", "train_digits": "2"}
"""What is shown where nothing is asked for."""
CHIEF = {
    "task": "Task",
    "modulus": "Modulus",
    "base": "Base",
    "pe": "Encoding",
    "layout": "Format",
    "differs": "What differs",
    "window": "Attention window",
    "train_digits": "Trained on digits",
    "test_digits": "Tested on digits",
    "padding": "Padding",
}
"""The controls that stand first, in their order, with their names."""
EMPTY = {"differs": "no signs, ...", "test_digits": "1 to trained + 3", "expr": "2*a + b"}
"""What stands in a control that is empty."""


Controls = dict[str, Any]
"""By the name of an option, its control."""


def controls_of(
    asked: Mapping[str, str], on_change: Callable[[Any], object] = id
) -> tuple[Controls, Controls]:
    """The controls that stand first and the others, as they are for some texts of options.

    Args:
        on_change: called with the new value of a control.
    """
    texts = dict(asked or FIRST)
    first, _, rest = texts.get("layout", "").partition(",")
    if rest and first.strip() not in LAYOUTS:  # parts alone are those of the default
        first, rest = "", texts["layout"]
    texts |= {"layout": first.strip(), "differs": rest.strip()}
    others = [name for name in options_of(Request) if name not in CHIEF]
    chief, more = (
        {name: _control(name, texts, on_change) for name in names} for names in (CHIEF, others)
    )
    return chief, more


def values_of(*controls: Controls) -> dict[str, Any]:
    """The values of controls by their names."""
    return {name: control.value for each in controls for name, control in each.items()}


def texts_of(values: Mapping[str, Any]) -> dict[str, str]:
    """The texts of the options by the values of their controls, but for those at their default.

    An expression stands in place of a task, and a modulus beside a task that takes one.
    """
    texts = {name: _text(value) for name, value in values.items()}
    if differs := texts.pop("differs"):
        texts["layout"] = f"{texts['layout']}, {differs}"
    named, task = not texts["expr"], texts["task"]
    if not named:
        del texts["task"]
    elif task in TASKS | DIGIT_FUNCTIONS and not takes_modulus(task):
        del texts["modulus"]
    return {n: text for n, text in texts.items() if text and text != default_text(n)}


def _control(name: str, texts: Mapping[str, str], on_change: Callable[[Any], object]) -> Any:
    """The control of an option: a list of its names, a number or a text.

    What is no such name, or no number, stands there all the same, for the answer says so.
    """
    import marimo as mo  # imported late: it takes long

    option = options_of(Request).get(name)
    text = texts.get(name) or default_text(name)
    label = CHIEF.get(name, name.replace("_", " ").capitalize())
    shown: Any = {"label": label, "full_width": True, "on_change": on_change}
    if option and option.names:
        allowed = list(dict.fromkeys([*option.names, *([text] if text else [])]))
        may_be_none = not default_text(name)
        return mo.ui.dropdown(allowed, text or None, allow_select_none=may_be_none, **shown)
    is_number = option and types_of(Request)[name] in (int, int | None)
    if is_number and (not text or text.lstrip("-").isdecimal()):
        return mo.ui.number(step=1, value=int(text) if text else None, **shown)
    return mo.ui.text(text, placeholder=EMPTY.get(name, ""), **shown)


def _text(value: Any) -> str:
    if value is None or value == ():
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
