"""lm-evaluation-harness asks an exported model an exported task, offline, and its log is judged."""

from __future__ import annotations

import json
import sys
from contextlib import chdir
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from builders.cells import cell
from builders.kept_models import kept_run
from builders.tiny_models import QUICK, taught

import arith
from arith.verify.external import ask, judge_kept
from arith.verify.judging.answers import JudgedAnswers
from arith.verify.model.huggingface import export
from arith.verify.model.kept import keep, read_kept
from arith.verify.plan.examples import as_jsonl, lm_eval_task
from arith.verify.plan.given import read_answers

NEEDED = ("lm_eval", "accelerate", "transformers")  # looked for alone: to import them takes long
pytestmark = pytest.mark.skipif(not all(map(find_spec, NEEDED)), reason="needs arith[lm-eval]")
RUN = "run --model hf --include_path task --tasks arith_sums --device cpu --batch_size 64"
MODEL = "pretrained=export,trust_remote_code=True,dtype=float32,add_bos_token=True"


def numbers(judged: JudgedAnswers) -> list[tuple[Any, ...]]:
    """What was answered at each length."""
    return [(x.digits, x.inputs, x.correct, x.silent, x.explained.counts) for x in judged.lengths]


def lm_eval(folder: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the command ``lm_eval`` in this process, without what is outside of a folder.

    It does not look through its own tasks, which are thousands of files, nor at the machine.
    """
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "home")}
    for name, value in offline.items():
        monkeypatch.setenv(name, value)
    from datasets import config
    from huggingface_hub import constants
    from lm_eval import evaluator, tasks
    from lm_eval.__main__ import cli_evaluate
    from transformers import dynamic_module_utils

    # Where they were imported before, the environment is read no more.
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(config, "HF_DATASETS_CACHE", folder / "home" / "datasets")
    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(folder / "home" / "modules"))
    monkeypatch.setattr(evaluator, "add_env_info", lambda results: None)
    manager = partial(tasks.TaskManager, include_defaults=False)
    monkeypatch.setattr(tasks, "TaskManager", manager)
    monkeypatch.setattr(sys, "argv", ["lm_eval", *words])
    with chdir(folder):
        cli_evaluate()


@pytest.mark.long
def test_a_log_a_file_a_function_and_a_folder_give_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    c = cell("mod_add", 7, base=3, digits=2, test_lengths=(1, 2))
    model = taught(c, seeds=(0,), steps=60).models[0]  # it writes digits, some of them right
    kept = read_kept(keep(tmp_path / "kept", model, kept_run(c, QUICK), QUICK))
    export(kept, tmp_path / "export")
    wanted = ask(lambda prompts: ["00"] * len(prompts), c.setting)
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "sums.jsonl").write_text(as_jsonl(wanted))
    task = lm_eval_task(wanted, "how", "arith_sums", "task/sums.jsonl")
    (tmp_path / "task" / "arith_sums.yaml").write_text(task)
    words = [*RUN.split(), "--model_args", MODEL, "--log_samples", "--output_path", "log"]
    lm_eval(tmp_path, [*words, "--trust_remote_code"], monkeypatch)
    [log] = (tmp_path / "log").rglob("samples_*.jsonl")
    said = read_answers(log)
    pairs = zip(said.prompts, said.answers, strict=True)
    lines = (json.dumps({"prompt": prompt, "answer": answer}) for prompt, answer in pairs)
    (tmp_path / "answers.jsonl").write_text("\n".join(lines))
    by_file = [arith.judge(x, c.setting).judged for x in (log, tmp_path / "answers.jsonl")]
    known = dict(zip(said.prompts, said.answers, strict=True))
    by_function = arith.judge(lambda prompts: [known[x] for x in prompts], c.setting).judged
    by_folder = judge_kept(read_kept(tmp_path / "export"), "cpu")
    asked = [numbers(x) for x in (*by_file, by_function, by_folder)]
    assert all(x == asked[0] for x in asked) and [x[1] for x in asked[0]] == [9, 72]
    assert 0 < asked[0][1][2] < 72
