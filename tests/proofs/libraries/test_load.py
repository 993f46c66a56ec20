"""What the real loaders do with a folder, and what the doctor reports before."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import make
import pytest
from commands import answered, checks
from laid import ROOT, Interpreter
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

SCRIPT = Path(__file__).parents[1] / "real_load.py"
RULES = (
    "adapter-targets-missing-modules",
    "adapter-targets-nothing",
    "checkpoint-layers-unused",
    "checkpoint-shapes-differ",
    "checkpoint-tensors-missing",
    "tokenizer-does-not-load",
    "tokenizer-rebuilt-by-transformers",
)
ADAPTER, NAMES, UNUSED, SHAPES, MISSING, UNLOADED, REBUILT = RULES
RUN: dict[str, Any] = {
    "trainer": "grpo",
    "model_name_or_path": "model",
    "reward_model_name_or_path": "reward",
    "num_processes": 1,
    "bf16": False,
}
EVERYWHERE = pytest.mark.parametrize("environment", ["current", "four", "grpo-first"])
LLAMA = "LlamaTokenizer"
PIECES = {"bos_token": "<s>", "unk_token": "<unk>"}
REPAIRED = {"tokenizer_class": "PreTrainedTokenizerFast"}


@pytest.mark.slow
@EVERYWHERE
def test_headers_show_what_from_pretrained_reports(
    environment: str, interpreter: Interpreter
) -> None:
    real_run = real(interpreter(environment), "agree", ROOT / "trl_doctor/probes")
    assert real_run == {"error": None, "cases": 70, "apart": []}


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["ppo-first", "grpo-first", "four", "current"])
def test_a_healthy_run_is_clear(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    laid_out(tmp_path, {"trainer": "dpo"} if environment == "ppo-first" else {})
    checkup = examined(interpreter(environment), tmp_path)
    assert {name: check["state"] for name, check in checkup.items()} == {
        **dict.fromkeys(RULES, "clear"),
        ADAPTER: "not concerned",
        NAMES: "not concerned",
    }


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_the_model_type_overrules_the_tokenizer(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    folder = laid_out(tmp_path)
    change(folder / "config.json", model_type="qwen2", architectures=["Qwen2ForCausalLM"])
    (folder / "tokenizer.json").write_text(whole_numbers().to_str())
    real_run = real(interpreter(environment), "ids", folder)
    checkup = examined(interpreter(environment), tmp_path)[REBUILT]
    if environment == "four":
        assert (real_run["made"], checkup["state"]) == (real_run["meant"], "clear")
        return
    assert (real_run["error"], real_run["made"] == real_run["meant"]) == (None, False)
    (finding,) = checkup["findings"]
    assert "builds the tokenizer as Qwen2Tokenizer" in finding["message"]
    assert (finding["severity"], finding["fix"]) == ("error", None)
    assert "processing_class=PreTrainedTokenizerFast.from_pretrained" in finding["remedy"]


@pytest.mark.slow
def test_another_class_reads_tokenizer_json_as_it_is(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    python, folder = interpreter("current"), laid_out(tmp_path)
    (folder / "tokenizer.json").write_text(json.dumps(sentence_pieces()))
    named = {**PIECES, "tokenizer_class": LLAMA}
    change(folder / "tokenizer_config.json", added_tokens_decoder=None, **named)
    real_run = real(python, "ids", folder)
    assert (real_run["error"], real_run["made"] == real_run["meant"]) == (None, False)
    (finding,) = examined(python, tmp_path)[REBUILT]["findings"]
    assert f"builds the tokenizer as {LLAMA}" in finding["message"]

    before = json.loads((folder / "tokenizer_config.json").read_text())
    assert examined(python, tmp_path, "--fix")[REBUILT]["state"] == "clear"
    data = json.loads((folder / "tokenizer_config.json").read_text())
    assert data == {**before, **REPAIRED}
    real_run = real(python, "ids", folder)
    assert (real_run["error"], real_run["made"]) == (None, real_run["meant"])


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["four", "grpo-first"])
def test_the_repaired_class_reads_it_in_older_releases(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    folder = laid_out(tmp_path)
    (folder / "tokenizer.json").write_text(json.dumps(sentence_pieces()))
    change(folder / "tokenizer_config.json", added_tokens_decoder=None, **PIECES, **REPAIRED)
    real_run = real(interpreter(environment), "ids", folder)
    assert (real_run["error"], real_run["made"]) == (None, real_run["meant"])


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_a_tokenizer_that_does_not_load(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    folder = laid_out(tmp_path)
    change(folder / "tokenizer.json", normalizer={"type": "OfTomorrow"})
    assert real(interpreter(environment), "ids", folder)["error"]
    python = interpreter(environment)
    unloaded = examined(python, tmp_path)[UNLOADED]
    assert (unloaded["state"], unloaded["findings"]) == ("skipped", [])
    refused = "tokenizer-refused-by-transformers"
    (finding,) = checks(tmp_path / "run.json", python, "--select", refused)[refused]["findings"]
    assert "does not load the tokenizer of model: tokenizer.json" in finding["message"]


@pytest.mark.slow
@EVERYWHERE
def test_a_head_that_is_not_there_is_random(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    folder = laid_out(tmp_path)
    change(folder / "config.json", tie_word_embeddings=False)
    assert real(interpreter(environment), "heads", folder) == {"error": None, "same": False}
    (finding,) = examined(interpreter(environment), tmp_path)[MISSING]["findings"]
    assert "the policy model model lacks lm_head.weight" in finding["message"]


@pytest.mark.slow
@EVERYWHERE
def test_layers_beyond_config_are_left_out(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    folder = laid_out(tmp_path)
    change(folder / "config.json", num_hidden_layers=1)
    assert real(interpreter(environment), "heads", folder) == {"error": None, "same": True}
    (finding,) = examined(interpreter(environment), tmp_path)[UNUSED]["findings"]
    assert "ignores the tensors of layer 1" in finding["message"]


@pytest.mark.slow
@EVERYWHERE
def test_rows_that_config_does_not_name(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    folder = laid_out(tmp_path)
    change(folder / "config.json", vocab_size=make.ROWS + 8)
    assert "RuntimeError" in real(interpreter(environment), "heads", folder)["error"]
    (finding,) = examined(interpreter(environment), tmp_path)[SHAPES]["findings"]
    assert f"model.embed_tokens.weight of model is 320 x {make.HIDDEN}" in finding["message"]
    assert f"has 328 x {make.HIDDEN}" in finding["message"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("targets", "dies", "says"),
    [
        ("q_proj,v_proj", "", ""),
        ("W_pack,c_attn", "not found in the base model", "PEFT refuses to make an adapter"),
        ("q_proj,W_pack", "", "has no module W_pack: PEFT leaves it out"),
        ("q_proj,lm_head", "adapter to `lm_head` is not supported", "also put on the head"),
    ],
)
def test_adapters(
    targets: str, dies: str, says: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("current")
    names = {"use_peft": True, "lora_target_modules": targets.split(",")}
    folder = laid_out(tmp_path, names)
    error = real(python, "adapted", folder, targets)["error"]
    assert dies in (error or "") if dies else error is None
    checkup = examined(python, tmp_path)
    every = [*checkup[ADAPTER]["findings"], *checkup[NAMES]["findings"]]
    causes = [finding for finding in every if finding["follows_from"] is None]
    messages = [finding["message"] for finding in causes]
    assert [says in message for message in messages] == ([True] if says else []), messages


def laid_out(folder: Path, run: Mapping[str, Any] | None = None) -> Path:
    """The healthy run, with these keys changed; the model's folder."""
    for name, fixture in (("model", "healthy"), ("reward", "reward")):
        shutil.copytree(ROOT / "fixtures/models" / fixture, folder / name)
    (folder / "run.json").write_text(json.dumps({**RUN, **(run or {})}))
    return folder / "model"


def change(file: Path, **keys: Any) -> None:
    """Set keys of a JSON file; None takes one out."""
    content = {**json.loads(file.read_text()), **keys}
    file.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))


def whole_numbers() -> Tokenizer:
    """The fixtures' tokenizer, trained on numbers, which its pattern keeps whole."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300 - len(make.SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator([" 123 4567 12,345.67"] * 20, trainer)
    tokenizer.add_special_tokens(make.SPECIAL)
    return tokenizer


def sentence_pieces() -> dict[str, Any]:
    """tokenizer.json of a tokenizer as Llama's: spaces are ▁, one is put before the text."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    marks = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    tokenizer.normalizer = normalizers.Sequence(marks)
    back = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence([*back, decoders.Strip(" ", 1, 0)])
    special = ["<unk>", "<s>", *make.SPECIAL]
    letters = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(
        vocab_size=315, special_tokens=[*special, *letters], show_progress=False
    )
    tokenizer.train_from_iterator(
        ["  two  spaces   three    more"] * 3 + make.TEXT.split("\n"), trainer
    )
    content: dict[str, Any] = json.loads(tokenizer.to_str())
    content["added_tokens"] = [
        token for token in content["added_tokens"] if token["content"] in special
    ]
    return content


def real(python: Path, ask: str, folder: Path, *more: str) -> dict[str, Any]:
    """What the real libraries answer."""
    answer: dict[str, Any] = answered(python, SCRIPT, ask, folder, *more)
    return answer


def examined(python: Path, folder: Path, *flags: str) -> dict[str, Any]:
    """What the doctor reports about the run, by rule."""
    selected = ("--level", "tiny", "--select", ",".join(RULES))
    return checks(folder / "run.json", python, *selected, *flags)
