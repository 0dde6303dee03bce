"""The page of ``arith explore``: how long an answer takes to be made, and the strip of moduli."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product

from arith.commands.explore_page import answer_html, strips
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.transformer.encodings import ENCODINGS
from benchmarks.measuring import Table, apart, spread

_LAYOUTS = ("aligned", "reversed")  # in which every encoding is known
_TASKS = {"mod_add": (100, 101), "mod_mul": (125, 150), "add": (None,)}


def tables(quick: bool, device: str) -> list[Table]:
    """Seconds of a change in the controls, in fresh processes."""
    processes = 1 if quick else 3
    rows = []
    for what, side in (("a prediction alone", _predicted), ("the page's answer", _answered)):
        seconds = [x for _ in range(processes) for x in apart(1, _seconds, side, quick)]
        rows.append({"what": what, "number": len(seconds), "seconds": spread(seconds)})
    seconds = [apart(1, _strip) for _ in range(processes)]
    rows.append({"what": "a strip of moduli", "number": processes, "seconds": spread(seconds)})
    note = (
        "Median and quartiles over settings, each new to its process. A strip is counted beside "
        "the answer, in a thread. What the browser takes is not in it."
    )
    return [Table("The page of arith explore", rows, note)]


def _requests(quick: bool) -> list[Request]:
    tasks = [(task, p) for task, moduli in _TASKS.items() for p in moduli]
    encodings = [*ENCODINGS][: 2 if quick else None]
    return [
        Request(task=task, modulus=p, pe=pe, layout=layout, padding=padding, train_digits="1-3")
        for (task, p), pe, layout, padding in product(tasks, encodings, _LAYOUTS, ("fixed", "none"))
    ]


def _seconds(side: Callable[[Request], object], quick: bool) -> list[float]:
    side(Request(task="mod_mul", modulus=7, base=6))  # what is imported and read on first use
    return [_time(side, request) for request in _requests(quick)]


def _time(side: Callable[[Request], object], request: Request) -> float:
    start = time.perf_counter()
    side(request)
    return time.perf_counter() - start


def _predicted(request: Request) -> object:
    return predict(request.setting())


def _answered(request: Request) -> object:
    return answer_html(predict(request.setting()))


def _strip() -> float:
    request = Request(task="mod_mul", modulus=101, train_digits="2")
    return _time(lambda asked: list(strips(asked, {})), request)
