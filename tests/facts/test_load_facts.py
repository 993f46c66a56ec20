"""What the engine makes of the answers of the probe that loads the files, and its header reader."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.question import Answer, Pending, Question
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.load import (
    adapter,
    load,
    loaded_model,
    loaded_tokenizer,
    tokenizer_part,
)
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment
from trl_doctor.probes.answers.libraries import LibrariesAnswer
from trl_doctor.probes.answers.load import LoadAnswer, LoadError, Part
from trl_doctor.probes.loading import config, headers, tensors
from trl_doctor.probes.loading.encoding import apart, differences
from trl_doctor.probes.loading.tokens import SAMPLES
from trl_doctor.probes.refusal import Refused
from trl_doctor.testing import answered

ROOT = Path(__file__).parents[2]
HEALTHY = ROOT / "fixtures/models/healthy"
RAISED: Any = Part(raised=LoadError("ValueError", "no\n such"))
NOT_ASKED: Any = Part(refused="there are no tokenizer files")


def facts(answer: LoadAnswer, oracle: Any = None) -> Facts:
    """The facts of the healthy GRPO run, with these parts answered."""
    world = Environment(Path("python"), (), {})
    run = open_run(target(str(ROOT / "fixtures/grpo.yaml")), world, Options(offline=True))
    answers = {"libraries": LibrariesAnswer({}), "load": answer}
    by_probe = {name: answered(name, value) for name, value in answers.items()}
    return Facts(run, world, oracle or ExampleOracle(by_probe))


class Listening(ExampleOracle):
    """Remembers the question about loading, and leaves it open."""

    def ask(self, question: Question) -> Answer:
        if question.probe != "load":
            return super().ask(question)
        raise Pending(json.dumps(question.request))


def test_the_question_has_the_conversations_that_we_render() -> None:
    by_probe = {"libraries": answered("libraries", LibrariesAnswer({}))}
    with pytest.raises(Pending) as pending:
        facts(LoadAnswer(NOT_ASKED, {}, NOT_ASKED), Listening(by_probe))[load]
    request = json.loads(str(pending.value))
    assert request["folders"]["policy"] == str(HEALTHY)
    prompt = request["chat"]["prompt"]
    assert [message["role"] for message in prompt["messages"]] == ["user"]
    assert (prompt["prompt"], request["hub"], request["side"]) == (True, {}, "left")


def test_a_refused_part_has_a_reason() -> None:
    run_facts = facts(LoadAnswer(NOT_ASKED, {}, NOT_ASKED))
    with pytest.raises(Unavailable, match="loading the tokenizer: there are no tokenizer files"):
        run_facts[loaded_tokenizer]
    with pytest.raises(Unavailable, match="the run names no policy model"):
        loaded_model(run_facts, "policy")


def test_an_error_of_the_tokenizer_is_reported_and_the_model_is_unavailable() -> None:
    run_facts = facts(LoadAnswer(RAISED, {"policy": RAISED}, RAISED))
    assert run_facts[tokenizer_part].raised == RAISED.raised
    with pytest.raises(Unavailable, match="loading the tokenizer: ValueError: no such"):
        run_facts[loaded_tokenizer]
    with pytest.raises(Unavailable, match="loading the policy: ValueError: no such"):
        loaded_model(run_facts, "policy")
    with pytest.raises(Unavailable, match="adapting the model: ValueError: no such"):
        run_facts[adapter]


def test_shapes_come_from_headers() -> None:
    shapes = headers.shapes(tensors.shards(HEALTHY))
    assert shapes["model.embed_tokens.weight"] == [320, 64]
    assert len(shapes) == 20


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00" * 4, struct.pack("<Q", 2**60) + b"{}", struct.pack("<Q", 4) + b"[1,]"],
    ids=["empty", "short", "long header", "no JSON"],
)
def test_a_file_without_a_header_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(content)
    with pytest.raises(Refused, match=r"model\.safetensors has no header that can be read"):
        headers.read_header(file)


@pytest.mark.parametrize("content", [None, "", "{", "[1]", "{}", "[" * 100_000])
def test_a_checkpoint_without_a_config_is_refused(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(Refused, match=r"no config\.json that can be read"):
        config.of_checkpoint(tmp_path)


@pytest.mark.parametrize("name", ["../outside.safetensors", "/etc/passwd", "gone.safetensors"])
def test_a_shard_elsewhere_is_not_opened(name: str, tmp_path: Path) -> None:
    (tmp_path / "outside.safetensors").write_bytes(b"secret")
    folder = tmp_path / "model"
    folder.mkdir()
    index = {"weight_map": {"a": name}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(Refused, match=r"is not there|is not in safetensors"):
        tensors.shards(folder)


def test_only_texts_with_other_ids_are_reported() -> None:
    from tokenizers import Tokenizer

    raw = Tokenizer.from_file(str(HEALTHY / "tokenizer.json"))
    assert differences(Same(raw), raw, list(SAMPLES)) == []
    (difference,) = differences(Same(raw, cut="lazy"), raw, ["a lazy dog", "a dog"])
    assert difference.text == "a lazy dog"
    assert difference.made[0] != difference.meant[0]
    assert not difference.read_back
    assert apart([1, 2, 3], [1, 2]) == 2


class Same:
    """Encodes as a tokenizers.Tokenizer does, but for a word that it leaves out."""

    def __init__(self, raw: Any, cut: str = "") -> None:
        self.raw, self.cut = raw, cut

    def __call__(self, text: str, add_special_tokens: bool) -> dict[str, Any]:
        encoded_text = text.replace(self.cut, "") if self.cut else text
        return {
            "input_ids": self.raw.encode(encoded_text, add_special_tokens=add_special_tokens).ids
        }

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [self.raw.id_to_token(id) for id in ids]

    def decode(self, ids: list[int], clean_up_tokenization_spaces: bool) -> str:
        return str(self.raw.decode(ids))
