"""Small random models of many architectures, made by every release of transformers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import answered, ran
from laid import ROOT, Interpreter

T5 = {
    "model_type": "t5",
    "is_encoder_decoder": True,
    "architectures": ["T5ForConditionalGeneration"],
}
EVERYWHERE = (
    "llama", "qwen2", "mixtral", "gemma", "gemma2", "gpt2", "gpt_neox", "phi3", "mamba", "jamba",
    "opt", "bloom", "falcon",
)  # fmt: skip
NEWER = (
    "qwen3", "qwen3_moe", "gemma3_text", "deepseek_v3", "gpt_oss", "qwen3_next", "gemma4_text",
)  # fmt: skip
SINCE = {"current": NEWER}
ASK = """
import dataclasses, json, pathlib, sys, types
package = types.ModuleType("probes")
package.__path__ = [sys.argv[1]]
sys.modules["probes"] = package
from probes.refusal import Refused
from probes.small_model.shrink import shrunken
request = {"folders": {"policy": "model", "reward": "model"}, "trust_remote_code": False,
           "ends": {"turn_end": 298, "eos": None}}
try:
    said = dataclasses.asdict(shrunken(request, sys.argv[2], pathlib.Path("small"), 0.3))
except Refused as reason:
    said = {"refused": str(reason)}
print("\\n" + json.dumps(said, default=str))
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["ppo-first", "current"])
def test_the_known_architectures_generate_their_turn_end_when_small(
    environment: str, interpreter: Interpreter
) -> None:
    kinds = [*EVERYWHERE, *SINCE.get(environment, ())]
    script = ROOT / "benchmarks/shrink.py"
    process = ran(interpreter(environment), script, "--inside", "--only", *kinds)
    lines = [line for line in process.stdout.splitlines() if line.partition(" ")[0] in kinds]
    assert len(lines) == len(kinds), process.stdout + process.stderr[-2000:]
    assert [line for line in lines if "shrunk, turn end: " not in line] == []


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["ppo-first", "current"])
def test_it_has_the_tokenizer_and_no_weights_of_the_candidate(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    model = candidate(tmp_path, num_hidden_layers=12, hidden_size=512, num_attention_heads=8)
    (model / "training_args.bin").write_bytes(b"pickled")
    (model / "own.py").write_text("raise SystemExit")
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    answer = ask(interpreter(environment), tmp_path)
    assert (answer["architecture"], answer["layers"], answer["hidden"]) == (
        "LlamaForCausalLM",
        2,
        64,
    )
    assert (answer["vocabulary"], answer["turn_end"]) == (320, 298)
    assert abs(answer["turn_end_probability"] - 0.3) < 0.05
    small = {path.name: path.read_bytes() for path in (tmp_path / "small").iterdir()}
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        assert small[name] == before[name]
    assert not {"training_args.bin", "own.py"} & set(small)
    assert small["model.safetensors"] != before["model.safetensors"]
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before


@pytest.mark.slow
def test_a_scorer_has_one_label(tmp_path: Path, interpreter: Interpreter) -> None:
    candidate(tmp_path)
    answer = ask(interpreter("current"), tmp_path, role="reward")
    assert (answer["architecture"], answer["turn_end_probability"]) == (
        "LlamaForSequenceClassification",
        None,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"model_type": "unheard_of"}, "does not know the model type 'unheard_of'"),
        (
            {"model_type": "own", "auto_map": {"AutoConfig": "own.OwnConfig"}},
            "its code would have to run: --trust-remote-code",
        ),
        (T5, "t5 is an encoder with a decoder"),
    ],
)
def test_what_cannot_be_shrunk_is_refused(
    config: dict[str, Any], reason: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    model = candidate(tmp_path, **config)
    (model / "own.py").write_text("raise SystemExit('this was run')")
    assert reason in ask(interpreter("current"), tmp_path)["refused"]


@pytest.mark.slow
def test_a_quantised_model_is_shrunk_unquantised(tmp_path: Path, interpreter: Interpreter) -> None:
    candidate(tmp_path, quantization_config={"quant_method": "fp8", "activation_scheme": "dynamic"})
    assert ask(interpreter("current"), tmp_path)["architecture"] == "LlamaForCausalLM"
    assert "quantization_config" not in json.loads((tmp_path / "small/config.json").read_text())


def candidate(folder: Path, **config: Any) -> Path:
    """The healthy fixture with other values in config.json."""
    model = folder / "model"
    shutil.copytree(ROOT / "fixtures/models/healthy", model)
    data = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps({**data, **config}))
    return model


def ask(python: Path, folder: Path, role: str = "policy") -> dict[str, Any]:
    """What becomes of the candidate's model when it is shrunk."""
    options = ("-c", ASK, str(ROOT / "trl_doctor/probes"), role)
    answer: dict[str, Any] = answered(python, options, cwd=folder, noisy=True)
    return answer
