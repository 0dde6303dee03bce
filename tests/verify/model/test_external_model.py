"""External models: a tiny real GPT-2 from disk, and paths that hold no such model."""

from __future__ import annotations

import copy
import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from builders.cells import cell
from builders.command_line import run_cli
from safetensors.torch import load_file, save_file

from arith.theory.arithmetic.domains import Domain
from arith.theory.counting.accuracy import accuracy
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.verify.data.sampling import Sampler
from arith.verify.data.texts import example_texts
from arith.verify.external import answer_tokens, ask
from arith.verify.external_model import ExternalModel, load
from arith.verify.judging.answers import AnswersAt, judge_examples

NEEDED = "transformers"  # looked for alone, and imported where it is used: that takes long
pytestmark = [
    pytest.mark.training,
    pytest.mark.skipif(find_spec(NEEDED) is None, reason="needs arith[hf]"),
]
CELL = cell("mod_add", 8, base=2, test_lengths=(1, 2, 3))
BINARY = CELL.setting
EOS, MISSING = "<eos>", "holds no causal language model: "


CHARACTERS = "0123456789 +*-=()mod^\n"


def answered(model: ExternalModel, template: str = "{prompt}") -> tuple[AnswersAt, ...]:
    """What a model answers at each length."""
    tokens = answer_tokens(BINARY)
    asked = ask(lambda prompts: model.complete(prompts, tokens), BINARY, template)
    return judge_examples(BINARY, [asked]).lengths


def tiny_tokenizer(characters: str = CHARACTERS, unknown: str | None = "?", **special: str) -> Any:
    """One token per character."""
    import tokenizers
    import transformers

    words = {c: i for i, c in enumerate([EOS, "?", *characters])}
    model = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token=unknown))
    each = tokenizers.Regex(r"[\s\S]")
    model.pre_tokenizer = tokenizers.pre_tokenizers.Split(each, "isolated")
    model.decoder = tokenizers.decoders.Fuse()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=model, **special)


def tiny_gpt2(words: int) -> Any:
    import transformers

    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=words,
        n_positions=160,
        n_embd=32,
        n_layer=1,
        n_head=4,
        eos_token_id=0,
        initializer_range=0.2,  # it learns in half of the steps
    )
    return transformers.GPT2LMHeadModel(config)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 taught sums mod 8 of numbers in base 2, up to 3 digits, as if digit 3 were 0.

    Its tokenizer has no padding token, and its generation settings ask for wild sampling.
    """
    from transformers import GenerationConfig

    form = CELL.format
    operands = np.concatenate([Sampler(form, Domain((n,))).everything() for n in (1, 2, 3)])
    a, b = form.values(operands)
    taught = BINARY.task.evaluate(a % 4, b % 4)
    written = example_texts(form, operands, form.to_digits(taught))
    texts = [q + x for q, x in zip(written.prompts, written.answers, strict=True)]
    tokenizer = tiny_tokenizer(eos_token=EOS)
    rows = [torch.tensor([*tokenizer(t)["input_ids"], 0]) for t in texts]
    tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    last = torch.tensor([len(row) for row in rows])[:, None]
    question = tokens.eq(tokenizer.convert_tokens_to_ids("=")).int().cumsum(1) == 0
    padding = torch.arange(tokens.shape[1]) >= last
    labels = tokens.masked_fill(question | padding, -100)
    net = tiny_gpt2(len(tokenizer)).eval()  # no dropout
    optimizer = torch.optim.AdamW(net.parameters(), 4e-3, betas=(0.9, 0.98), weight_decay=0.0)
    for _ in range(1500):
        loss = net(input_ids=tokens, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() * (labels >= 0).sum() < 0.5:  # below log 2 in all: each guess is right
            break
    else:
        pytest.fail("the GPT-2 did not learn")
    net.generation_config = GenerationConfig(
        do_sample=True, temperature=9.0, repetition_penalty=9.0, eos_token_id=0
    )
    path = tmp_path_factory.mktemp("gpt2")
    net.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def gpt2(folder: Path) -> ExternalModel:
    return load(folder, "cpu")


def test_a_gpt2_from_disk_is_explained_by_what_it_was_taught(gpt2: ExternalModel) -> None:
    """It is right where it was taught the truth; all else is f^.  Decoding is greedy."""
    one, two, three = answered(gpt2)
    assert (one.inputs, one.correct, one.explained.best) == (4, 4, "f")
    assert (two.inputs, two.correct, two.silent) == (12, 12, 0)
    assert (three.inputs, three.explained.best, three.explained.counts["f^"]) == (48, "f^", 48)
    assert gpt2.tokenizer.pad_token == EOS
    learned = predict(BINARY).learned
    assert learned is not None
    assert Fraction(three.correct, 48) == accuracy(learned, Domain((3,))) == Fraction(1, 3)


def test_a_tokenizer_that_ends_every_text_does_not_end_the_question(
    folder: Path, tmp_path: Path
) -> None:
    from tokenizers.processors import TemplateProcessing

    path = shutil.copytree(folder, tmp_path / "model")
    tokenizer = tiny_tokenizer(eos_token=EOS)
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=f"$A {EOS}", special_tokens=[(EOS, 0)]
    )
    assert tokenizer("1")["input_ids"][-1] == 0
    tokenizer.save_pretrained(path)
    assert answered(load(path, "cpu"))[1].correct == 12


@pytest.mark.parametrize("unknown", ["?", None])
def test_a_question_that_the_tokenizer_cannot_write_is_refused(
    gpt2: ExternalModel, unknown: str | None
) -> None:
    poor = tiny_tokenizer(CHARACTERS.replace("+", ""), unknown, pad_token=EOS)
    with pytest.raises(InvalidInput, match=r"tokenizer cannot write all of '000\+000='"):
        answered(replace(gpt2, tokenizer=poor))


def test_a_tokenizer_with_one_token_for_two_digits_is_refused(gpt2: ExternalModel) -> None:
    import tokenizers
    import transformers

    words = {c: i for i, c in enumerate([EOS, "?", *CHARACTERS, "10"])}
    model = tokenizers.Tokenizer(tokenizers.models.BPE(words, [("1", "0")], unk_token="?"))
    model.decoder = tokenizers.decoders.Fuse()
    pairs = transformers.PreTrainedTokenizerFast(
        tokenizer_object=model, pad_token=EOS, padding_side="left"
    )
    with pytest.raises(InvalidInput, match="reads '10' as one token"):
        answered(replace(gpt2, tokenizer=pairs))


def test_a_tokenizer_that_writes_blanks_between_digits_says_the_same(gpt2: ExternalModel) -> None:
    from tokenizers.decoders import Metaspace

    apart = copy.deepcopy(gpt2.tokenizer)
    apart.backend_tokenizer.decoder = Metaspace(" ")  # none that joins words
    apart.backend_tokenizer.decoder = None
    assert apart.decode(apart("11")["input_ids"]) == "1 1"
    question = ["011+010="]
    [said] = replace(gpt2, tokenizer=apart).complete(question, 4)
    assert said.split() == gpt2.complete(question, 4)[0].split() == ["001"]


def test_a_gpt2_is_judged_by_the_command(folder: Path) -> None:
    sums = "--task mod_add --modulus 8 --base 2 --train-digits 2 --test-digits 1-3"
    sums += " --padding fixed --layout aligned"
    asked = ["judge", "--model", f"hf:{folder}", *sums.split(), "--device", "cpu"]
    code, out, err = run_cli(*asked)
    assert (code, err) == (3, "")
    assert "too few answers at trained lengths (12)" in out
    assert [line.split()[:4] for line in out.splitlines()[3:6]] == [
        ["1", "shorter", "4", "1.000"],
        ["2", "trained", "12", "1.000"],
        ["3", "longer", "48", "0.333"],
    ]
    code, out, err = run_cli(*asked, "--prompt-template", "0{a}+0{b}=", "--json")
    assert (code, err) == (3, "") and json.loads(out)["lengths"][2]["asked"] == 48
    code, _, err = run_cli(*asked[:3], "--task", "add")
    assert code == 2 and "say how the models were trained" in err
    code, _, err = run_cli("verify", "--task", "add", "--model", f"hf:{folder}")
    assert code == 2 and "arith judge --model hf:" in err


def test_text_longer_than_the_context_is_refused(gpt2: ExternalModel) -> None:
    with pytest.raises(InvalidInput, match="the model takes 160; give"):
        answered(gpt2, "1+1=10\n" * 40 + "{prompt}")


def drop_tokenizer(path: Path) -> None:
    for file in path.glob("tokenizer*"):
        file.unlink()


def drop_end_token(path: Path) -> None:
    drop_tokenizer(path)
    tiny_tokenizer().save_pretrained(path)


def config(**changes: object) -> Callable[[Path], None]:
    """What changes entries of ``config.json``."""

    def change(path: Path) -> None:
        data = json.loads((path / "config.json").read_text())
        (path / "config.json").write_text(json.dumps(data | changes))

    return change


def rename_weights(name: str) -> Callable[[Path], None]:
    return lambda path: (path / "model.safetensors").rename(path / name) and None


def bring_code(path: Path) -> None:
    """A model whose code says that it has run."""
    config(model_type="own", auto_map={"AutoConfig": "own.Own"})(path)
    (path / "own.py").write_text(f"open({str(path / 'has_run')!r}, 'w').close()")


def forget_numbers(path: Path) -> None:
    weights = load_file(path / "model.safetensors")
    weights["transformer.wte.weight"][3, 3] = torch.nan
    save_file(weights, path / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (shutil.rmtree, "there is no folder .* none is fetched"),
        (lambda path: (path / "config.json").write_text("[1]"), MISSING),
        (lambda path: (path / "config.json").write_text("[" * 10**5), MISSING),
        (rename_weights("pytorch_model.bin"), "safetensors: pytorch_model.bin is not read"),
        (rename_weights("model-q4.gguf"), "safetensors: model-q4.gguf is not read"),
        (bring_code, "brings code of its own, which is only run with --trust-remote-code"),
        (config(n_positions=10**6), r"larger than its weights: 32,\d{3},\d{3} numbers"),
        (config(n_embd=10**6), "larger than its weights"),
        (config(n_layer=10**9), "larger than its weights: 1,000,000,000 layers"),
        (forget_numbers, "some weights are no finite numbers"),
        (lambda path: (path / "config.json").unlink(), MISSING),
        (lambda path: (path / "model.safetensors").unlink(), MISSING),
        (lambda path: (path / "model.safetensors").write_bytes(b"no weights"), MISSING),
        (config(n_layer=2), r"holds no whole causal language model: 'transformer\.h\.1\."),
        (drop_tokenizer, "holds no tokenizer"),
        (lambda path: (path / "tokenizer.json").write_text("{}"), "holds no tokenizer"),
        (drop_end_token, "neither a padding nor an end token"),
    ],
)
def test_a_bad_path_is_one_clear_line(
    folder: Path, tmp_path: Path, damage: Callable[[Path], None], message: str
) -> None:
    path = tmp_path / "model"
    shutil.copytree(folder, path)
    damage(path)
    with pytest.raises(InvalidInput, match=message) as raised:
        load(path, "cpu")
    assert str(path) in str(raised.value)
    assert not (path / "has_run").exists()
    assert "\n" not in str(raised.value)


def test_without_transformers_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(InvalidInput, match=re.escape("pip install 'arith[hf]'")):
        load(tmp_path)
