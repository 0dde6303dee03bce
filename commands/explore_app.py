# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""The page of ``arith explore``: a marimo notebook, run as an app."""

import marimo

app = marimo.App(width="full", app_title="arith explore", css_file="explore.css")

with app.setup:
    from pathlib import Path
    from urllib.parse import parse_qsl

    import marimo as mo

    from arith.commands.explore_controls import controls_of, texts_of, values_of
    from arith.commands.explore_page import (
        answer_html,
        command_html,
        controls_html,
        part,
        strips,
    )
    from arith.theory.arithmetic.tasks import takes_modulus
    from arith.theory.errors import InvalidInput
    from arith.theory.prediction.predict import predict
    from arith.theory.setting.requests import request_of
    from arith.verify.reporting.measured import measured


@app.cell
def _():
    mo.Html(part("head"))


@app.cell
def _():
    address, started = mo.query_params(), mo.cli_args()
    store = Path(str(started.get("store")))
    _asked = address.to_dict() or dict(parse_qsl(str(started.get("setting"))))
    # Of a dictionary of controls marimo would lose changes that come together.
    changes, _count = mo.state(0)
    controls, more = controls_of(_asked, lambda _: _count(lambda n: n + 1))
    return address, changes, controls, more, store


@app.cell
def _(controls, more):
    mo.Html(controls_html(controls, more))


@app.cell
def _(address, changes, controls, more, store):
    changes()
    texts = texts_of(values_of(controls, more))
    for _name in dict.fromkeys([*address, *texts]):
        if address.get(_name) != texts.get(_name):
            address[_name] = texts.get(_name)
    try:
        request = request_of(texts)
        found = predict(request.setting())
        _shown = answer_html(found, measured(found.setting, store))
    except InvalidInput as _error:
        request, found, _shown = None, None, part("error", message=str(_error))
    mo.Html(_shown)
    return found, request, texts


@app.cell
def _(request, texts):
    # The names of the app go before its threads do, so the thread keeps this one.
    def _fill(parts, mo=mo):
        """Show the strip as it is counted; another setting ends that."""
        for _part in parts:
            if mo.current_thread().should_exit:
                return
            if _part:
                mo.output.replace(mo.Html(_part))

    if request and request.task and takes_modulus(request.task):
        mo.Thread(target=_fill, args=(strips(request, texts),)).start()


@app.cell
def _(found):
    mo.Html(command_html(found)) if found else None


if __name__ == "__main__":
    app.run()
