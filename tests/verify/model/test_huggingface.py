"""Export: what transformers loads from the folder alone is the same model."""

from __future__ import annotations

import json
import multiprocessing
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from builders.cells import cell
from builders.command_line import run_cli
from builders.kept_models import kept_run, kept_untrained
from builders.tiny_models import QUICK, Taught
from safetensors.torch import load_file, save_file

from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.transformer.encodings import ENCODINGS
from arith.verify.data.numerals import symbols
from arith.verify.external import judge_export, judge_kept
from arith.verify.model.exported_code import sources
from arith.verify.model.gpt import GPT
from arith.verify.model.huggingface import export, tokenizer
from arith.verify.model.kept import keep, read_kept
from arith.verify.model.measure import answers, held_out_accuracy, measure
from arith.verify.model.positions import POSITIONS
from arith.verify.plan.cells import Cell
from arith.verify.plan.recipe import RECIPES

NEEDED = "transformers"  # looked for alone: to import it takes long
pytestmark = pytest.mark.skipif(find_spec(NEEDED) is None, reason="needs arith[hf]")

INPUTS = 8
CELLS = {
    **{pe: cell("mod_add", 101, pe=pe, test_lengths=(2, 3)) for pe in ENCODINGS},
    "interleaved": cell(pe="rpe", form="interleaved", window=5, layers=1),
    "interleaved-randomized": cell(pe="randomized-fire", form="interleaved"),
    "plain": cell("mul", form="plain", width=4),
    "tied": cell("mod_add", 7, base=16),
    "sixty": cell("mod_add", 7, base=60, form="bare"),
}


def load(root: Path) -> None:
    """Load and ask every export, in a process that cannot import this package."""
    from huggingface_hub import constants
    from transformers import AutoModelForCausalLM, AutoTokenizer, dynamic_module_utils

    for name in [x for x in sys.modules if x.split(".")[0] == "arith"]:
        sys.modules[name] = None
    # Read from the environment as they were imported.
    constants.HF_HUB_OFFLINE = True
    dynamic_module_utils.HF_MODULES_CACHE = str(root / "home" / "modules")
    first = root / next(iter(CELLS))
    made = type(AutoModelForCausalLM.from_pretrained(first, trust_remote_code=True))
    words = type(AutoTokenizer.from_pretrained(first, trust_remote_code=True))
    assert sys.modules[made.__module__].__file__.startswith(str(root / "home"))
    for name in CELLS:  # all have the same code
        folder = root / name
        given = json.loads((root / f"{name}.json").read_text())
        model, report = made.from_pretrained(folder, output_loading_info=True)
        assert not report["missing_keys"] and not report["unexpected_keys"], report
        tokenizer = words.from_pretrained(folder)
        read = tokenizer(given["texts"], return_tensors="pt")
        with torch.no_grad():
            logits = model(**read).logits
        said = {"ids": read["input_ids"].tolist(), "logits": logits.tolist()}
        said["answers"] = [model.answer(*x) for x in given["operands"]]
        said["texts"] = tokenizer.batch_decode(read["input_ids"])
        if given["asked"]:
            asked = tokenizer(given["asked"], return_tensors="pt")
            said["generated"] = model.generate(**asked)[:, asked["input_ids"].shape[1] :].tolist()
        (root / f"{name}.said.json").write_text(json.dumps(said))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, GPT]]:
    """Every cell exported, and asked in one process that knows the folders alone."""
    root, nets = tmp_path_factory.mktemp("exports"), {}
    for name, c in CELLS.items():
        recipe = RECIPES["with-tied-head" if name == "tied" else "place-noise"]
        path, nets[name] = kept_untrained(root / "kept" / name, c, recipe)
        export(read_kept(path), root / name)
        (root / f"{name}.json").write_text(json.dumps(given(c)))
    # It has torch and transformers from this one.
    process = multiprocessing.get_context("fork").Process(target=load, args=(root,))
    process.start()
    process.join()
    assert process.exitcode == 0
    return root, nets


def written(c: Cell) -> tuple[np.ndarray, np.ndarray]:
    """Operand digits ``(n, k, N)``, and random tokens ``(n, T - 1)`` after ``<bos>``."""
    rng, fmt = np.random.default_rng(0), c.format
    shape = (INPUTS, fmt.task.operands, fmt.width)
    operands = rng.integers(fmt.base, size=shape)
    operands[:, :, c.setting.digits :] = 0
    tokens = rng.integers(fmt.vocabulary, size=(INPUTS, len(fmt.tokens) - 1))
    tokens[:, 0] = fmt.base
    return operands, tokens


def given(c: Cell) -> dict[str, object]:
    """What the loader asks: texts of random tokens, operands, and beginnings of examples."""
    words, (operands, tokens) = symbols(c.setting.base), written(c)
    between = " " if c.setting.base > 36 else ""

    def texts(rows: np.ndarray) -> list[str]:
        return [between.join(words[i] for i in row) for row in rows[:, 1:]]

    start = min(c.format.result_slots)
    examples = c.format.write(operands, c.format.results(operands))[:, :start]
    return {
        "texts": texts(tokens),
        "operands": list(zip(*(x.tolist() for x in c.format.values(operands)), strict=True)),
        "asked": [] if c.setting.layout.interleaved else texts(examples),
    }


@pytest.mark.parametrize("name", CELLS)
def test_transformers_loads_the_same_model(models: tuple[Path, dict[str, GPT]], name: str) -> None:
    (root, nets), c = models, CELLS[name]
    said, net = json.loads((root / f"{name}.said.json").read_text()), nets[name]
    operands, tokens = written(c)
    assert said["ids"] == tokens.tolist()
    with torch.no_grad():
        logits = net(torch.from_numpy(tokens))
    assert logits.std() > 0.1
    assert np.abs(np.array(said["logits"]) - logits.numpy()).max() < 1e-5

    digits = answers(net, c, operands)
    weights = c.setting.base ** np.arange(digits.shape[1])
    numbers = [None if row.max() >= c.setting.base else int(row @ weights) for row in digits]
    assert said["answers"] == numbers
    if not c.setting.layout.interleaved:
        in_order = digits[:, np.argsort(c.format.result_slots)]
        assert said["generated"] == in_order.tolist()


@pytest.mark.parametrize("name", CELLS)
def test_an_export_is_read_back_without_its_code(
    models: tuple[Path, dict[str, GPT]], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under every encoding, and where transformers is not installed."""
    monkeypatch.setitem(sys.modules, "transformers", None)
    kept = read_kept(models[0] / name)
    assert kept.run.cell == CELLS[name]
    given = dict(models[1][name].named_parameters())
    assert given.keys() == dict(kept.model.named_parameters()).keys()
    assert all(torch.equal(p, given[name]) for name, p in kept.model.named_parameters())


def test_an_export_is_asked_as_the_model_that_was_kept(
    models: tuple[Path, dict[str, GPT]],
) -> None:
    root = models[0]
    [kept] = (root / "kept" / "interleaved").iterdir()
    first, second = (run_cli("ask", str(x), "12 + 34") for x in (root / "interleaved", kept))
    assert first.code == 0 and first.out == second.out
    done = run_cli("ask", str(kept), "-3 + 5")
    assert done.code == 2 and "'-3 + 5': no operand is negative" in done.err and not done.out
    some = run_cli("ask", str(kept), "-3 + 5", "12 + 34", "nothing")
    assert (some.code, some.out) == (2, first.out)
    assert "no operand is negative" in some.err and "the numbers given: none" in some.err


@pytest.mark.usefixtures("few_inputs")
def test_an_export_is_judged_as_what_it_is(models: tuple[Path, dict[str, GPT]]) -> None:
    """Random weights are right nowhere, whatever the run in the folder says of them."""
    folder = models[0] / "interleaved"
    kept = read_kept(folder)
    assert kept.run.converged
    done = run_cli("judge", "--model", f"hf:{folder}", "--device", "cpu")
    assert done.code == 3 and not done.err
    assert "Inconclusive: it is right on 0.0" in done.out
    done = run_cli("judge", "--model", f"hf:{folder}", "--task", "add")
    assert done.code == 2 and "says how it was trained: leave out --task" in done.err


def test_a_trained_model_is_judged_alike_here_and_from_its_export(
    tiny: Taught, tmp_path: Path
) -> None:
    c, net = tiny.cell, tiny.models[0]
    export(read_kept(keep(tmp_path, net, kept_run(c, QUICK), QUICK)), tmp_path / "export")
    verdict = judge_export(read_kept(tmp_path / "export"), "cpu")
    [run], prediction = verdict.runs, predict(c.setting)
    assert run.premise == held_out_accuracy(net, c) == 1
    assert run.indifference is not None and run.indifferent
    assert list(run.measurements) == [
        measure(net, c, prediction, n) for n in c.setting.test_lengths
    ]
    assert verdict.held_out_too_few  # and so it is inconclusive, as after its training
    judged = judge_kept(read_kept(tmp_path / "export"), "cpu")
    assert judged.verdict.runs == verdict.runs and judged.lengths[0].explained.best == "f"
    longer = next(m for m in run.measurements if m.digits == judged.lengths[-1].digits)
    if longer.exhaustive:
        assert judged.lengths[-1].correct == longer.correct


def config(**changes: Any) -> Callable[[Path], None]:
    """What changes entries of ``config.json``."""

    def change(path: Path) -> None:
        data = json.loads((path / "config.json").read_text())
        (path / "config.json").write_text(json.dumps(data | changes))

    return change


def weights(change: Callable[[dict[str, torch.Tensor]], object]) -> Callable[[Path], None]:
    """What changes the tensors of an export."""

    def damage(path: Path) -> None:
        tensors = load_file(path / "model.safetensors")
        change(tensors)
        save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})

    return damage


HEAD = "gpt.head.weight"
OLDER = '{"model_type": "arith", "cell": {}}'


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (config(num_hidden_layers=10_000), "layers: expected a whole number <= 100"),
        (config(num_attention_heads=3), "network: no such size"),
        (config(num_hidden_layers=True), "layers: expected a whole number, got true or false"),
        (config(num_hidden_layers=100), "the weights are not those of the model"),
        (config(hidden_size=10**6), "width: expected a whole number <= 10000"),
        (config(window=3), "'window' is not that of the cell"),
        (config(tokens=[]), "'tokens' is not that of the cell"),
        (config(run=None), "object of JSON"),
        (lambda path: (path / "config.json").write_text("[1]"), "object of JSON"),
        (lambda path: (path / "config.json").write_text(OLDER), "export it again"),
        (lambda path: (path / "model.safetensors").unlink(), "cannot be read: No such file"),
        (lambda path: (path / "model.safetensors").write_bytes(b"no"), "cannot be read"),
        (weights(lambda x: x.pop(HEAD)), "the weights are not those"),
        (weights(lambda x: x[HEAD].fill_(torch.inf)), "no finite number"),
        (weights(lambda x: x.update({HEAD: x[HEAD][:, :-1].clone()})), "the weights are not those"),
        (weights(lambda x: x["gpt.mask"].fill_(0)), "'mask' is not that of the cell"),
    ],
)
def test_a_damaged_export_is_told_in_one_line(
    models: tuple[Path, dict[str, GPT]],
    tmp_path: Path,
    damage: Callable[[Path], None],
    message: str,
) -> None:
    folder = shutil.copytree(models[0] / "ape", tmp_path / "export")
    damage(folder)
    with pytest.raises(InvalidInput, match=message) as raised:
        read_kept(folder)
    assert "\n" not in str(raised.value)


@pytest.mark.usefixtures("few_inputs")
def test_an_export_of_several_operations_is_asked_by_the_sign(tmp_path: Path) -> None:
    from arith.verify.model.huggingface_model import ArithForCausalLM

    c = cell("add,sub", test_lengths=(2,))
    kept_path, net = kept_untrained(tmp_path / "kept", c, RECIPES["place-noise"])
    export(read_kept(kept_path), tmp_path / "export")
    assert read_kept(tmp_path / "export").run.cell == c
    card = (tmp_path / "export" / "README.md").read_text()
    assert "a + b" in card and "a - b" in card and 'operation="' in card
    made = ArithForCausalLM.from_pretrained(tmp_path / "export")
    digits = np.zeros((2, 3, c.format.width), dtype=np.int64)
    digits[:, 0, 0], digits[:, 1, 0], digits[:, 2, 0] = 7, 5, (0, 1)
    said = [c.format.number(x) for x in answers(net, c, digits)]
    assert [made.answer(7, 5, operation=sign) for sign in "+-"] == said
    for wrong in ("", "*"):
        with pytest.raises(ValueError, match="operation"):
            made.answer(7, 5, operation=wrong)
    wrong_answers = judge_kept(read_kept(tmp_path / "export"), "cpu").surprising
    assert all(re.fullmatch(r"\d+ [+-] \d+", x.prompt) for x in wrong_answers) and wrong_answers


@pytest.mark.parametrize("base", [*range(2, 40), 60, 100, 255, 256])
def test_tokens_go_to_text_and_back(base: int) -> None:
    """With and without the beginning of an example, and however the text is spaced."""
    words = symbols(base)
    made = tokenizer(base, words)
    ids = np.random.default_rng(base).permutation([*range(base), base + 1, base + 2] * 2)
    told = [base, *ids.tolist()]
    for text in (made.decode(told, skip_special_tokens=True), " ".join(words[i] for i in ids)):
        assert made(text)["input_ids"] == told
    if base <= 36:
        assert made.decode(ids.tolist()) == "".join(words[i] for i in ids)


def test_the_tokens_are_text_again(models: tuple[Path, dict[str, GPT]]) -> None:
    said = json.loads((models[0] / "ape.said.json").read_text())
    asked = json.loads((models[0] / "ape.json").read_text())
    assert [x.replace(" ", "") for x in said["texts"]] == [f"<bos>{x}" for x in asked["texts"]]


def test_the_code_in_the_folder_is_that_of_the_package(
    models: tuple[Path, dict[str, GPT]],
) -> None:
    code = sources()
    assert "settings.py" not in code  # what a network is made of
    assert {"gpt.py", "positions.py", "huggingface_model.py"} <= code.keys()
    assert not any("from arith" in text for text in code.values())
    loaded = {"config.json": "auto_map", "tokenizer_config.json": "tokenizer_class"}
    how = [json.loads((models[0] / "ape" / file).read_text())[key] for file, key in loaded.items()]
    for folder in (models[0] / name for name in CELLS):
        assert {x.name: x.read_text() for x in folder.glob("*.py")} == code
        assert how == [json.loads((folder / file).read_text())[key] for file, key in loaded.items()]
    page = (models[0] / "ape" / "README.md").read_text()
    assert "model.answer(" in page and "(a + b) mod 101" in page


def test_two_modules_of_one_name_are_not_written_to_one_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arith.verify.model.exported_code.CODE", "arith.verify.records.files")
    one, another = r"(?P<one>arith[\w.]+\.(?P<name>\w+))", r"(?!(?P=one) )arith[\w.]+\.(?P=name)"
    with pytest.raises(RuntimeError, match=rf"{one} and {another} would both be written to"):
        sources()


def test_the_code_of_an_encoding_of_ones_own_is_not_exported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(ENCODINGS, "kerple", replace(ENCODINGS["alibi"], name="kerple"))
    monkeypatch.setitem(POSITIONS, "kerple", POSITIONS["alibi"])
    path, _ = kept_untrained(tmp_path, cell(base=3, pe="kerple"))
    with pytest.raises(InvalidInput, match="that of kerple is your own"):
        export(read_kept(path), tmp_path / "export")
    assert not (tmp_path / "export").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    path, _ = kept_untrained(tmp_path, CELLS["ape"])
    with pytest.raises(InvalidInput, match="not empty: give a new folder"):
        export(read_kept(path), path)
