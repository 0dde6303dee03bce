"""What was seen inside single models: influences and hidden states."""

from __future__ import annotations

from typing import Any

from verify.reporting.mechanism import mechanism_name, read_mechanisms
from verify.reporting.report import Report
from verify.reporting.tables import table

ORDER = 90


def section(report: Report) -> list[str]:
    """How near each inspected model is to its expected function, and the figures of it."""
    models = read_mechanisms(report.folder)
    if not models:
        return []
    figures = []
    for folder, model in models.items():
        name, where = mechanism_name(model), f"mechanism/{folder}"
        figures.append(f"![Influences: {name}]({where}/influence.svg)")
        if (report.folder / where / "states.svg").exists():
            figures.append(f"![States: {name}]({where}/states.svg)")
    distances = [model["distance"] for model in models.values()]
    both = [(d["learned function"], d["truth"]) for d in distances if "learned function" in d]
    as_near = sum(learned["largest"] <= truth["largest"] for learned, truth in both)
    return [
        "## Inside",
        f"In {as_near} of {len(both)} models with a predicted f^, which operand digits change "
        "which digits of the answers is at least as near to the expected function as to the "
        "task.",
        table([_row(model) for model in models.values()]),
        "*from f^*, *from f*: the largest difference between an influence of the model (how "
        "often the answer's digit changes with an operand's) and that of the expected function "
        "or the task. *from the equivalent input*: the distance of the last states to those of "
        "the trained input that the expected function cannot tell from it, where an unrelated "
        "trained input is at 1. Made by `arith inspect` with the options of the cell.",
        *figures,
    ]


def _row(model: dict[str, Any]) -> dict[str, str]:
    learned = model["distance"].get("learned function")
    *_, state = model.get("equivalence", {}).get("by layer", [None])
    return {
        "cell": mechanism_name(model),
        "digits": str(model["digits"]),
        "from f^": "-" if learned is None else f"{learned['largest']:.3f}",
        "from f": f"{model['distance']['truth']['largest']:.3f}",
        "from the equivalent input": "-" if state is None else str(state),
    }
