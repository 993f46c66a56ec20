"""The history of trl and transformers: what it says, and that it agrees with itself."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from trl_doctor.facts.library import releases
from trl_doctor.facts.library.releases import DATA

HISTORY = msgspec.json.decode((DATA / "trl_releases.json").read_bytes())
ARGUMENTS = msgspec.json.decode((DATA / "transformers_arguments.json").read_bytes())
REPLACEMENTS = msgspec.json.decode((DATA / "replacements.json").read_bytes())["replacements"]
CONFIGS = {**HISTORY["configs"], "TrainingArguments": ARGUMENTS["fields"]}


@pytest.mark.parametrize(
    ("config", "field", "first", "last", "gone_in"),
    [
        ("GRPOConfig", "max_prompt_length", "0.14.0", "0.27.2", "0.28.0"),
        ("RLOOConfig", "max_prompt_length", "0.22.0", "0.28.0", "0.29.0"),
        ("GRPOConfig", "vllm_device", "0.14.0", "0.17.0", "0.18.0"),
        ("GRPOConfig", "wandb_log_unique_prompts", "0.17.0", "0.26.2", "0.27.0"),
        ("SFTConfig", "max_seq_length", "0.9.2", "0.19.1", "0.20.0"),
        ("DPOConfig", "padding_value", "0.9.2", "0.25.1", "0.26.0"),
        ("DPOConfig", "rpo_alpha", "0.9.2", "0.28.0", "0.29.0"),
        ("KTOConfig", "loss_type", "0.11.0", None, None),
        ("RewardConfig", "remove_unused_columns", "0.12.0", None, None),
        ("GRPOConfig", "logging_steps", "0.19.0", None, None),
        ("ModelConfig", "torch_dtype", "0.7.11", "0.26.2", "0.27.0"),
        ("TrainingArguments", "evaluation_strategy", "4.44.0", "4.50.3", "4.51.0"),
        ("GRPOConfig", "warmup_ratio", "4.44.0", "5.14.1", "5.15.0"),
    ],
)
def test_lifetime_of_a_field(
    config: str, field: str, first: str, last: str | None, gone_in: str | None
) -> None:
    span = releases.lifetime(config, field)
    assert span is not None
    bounds = (span.first, span.last, span.gone_in)
    assert bounds == tuple(Version(bound) if bound else None for bound in (first, last, gone_in))


def test_a_field_that_went_and_came_back_has_two_lifetimes() -> None:
    early, late = releases.lifetimes("KTOConfig", "loss_type")
    assert (str(early.gone_in), str(late.first)) == ("0.10.1", "0.11.0")
    assert releases.lifetime("KTOConfig", "loss_type", Version("0.10.1")) == early
    assert releases.lifetime("KTOConfig", "loss_type", Version("0.8.0")) == early
    assert releases.lifetime("KTOConfig", "no_such_field") is None


@given(data=st.data())
def test_lifetimes_and_fields_agree(data: st.DataObject) -> None:
    config = data.draw(st.sampled_from(sorted(HISTORY["configs"])))
    field = data.draw(st.sampled_from(sorted(HISTORY["configs"][config])))
    release = Version(data.draw(st.sampled_from(HISTORY["releases"])))
    there = field in (releases.fields(release, config) or {})
    spans = [
        lifetime for lifetime in releases.lifetimes(config, field) if lifetime.library == "trl"
    ]
    alive = any(
        span.first <= release and (span.gone_in is None or release < span.gone_in) for span in spans
    )
    assert there == alive or (not there and field in ARGUMENTS["fields"])


@pytest.mark.parametrize(
    ("trl", "config", "field", "default"),
    [
        ("0.18.2", "GRPOConfig", "beta", "0.04"),
        ("0.19.0", "GRPOConfig", "beta", "0.0"),
        ("0.17.0", "GRPOConfig", "temperature", "0.9"),
        ("0.18.0", "GRPOConfig", "temperature", "1.0"),
        ("0.17.0", "GRPOConfig", "loss_type", "'bnpo'"),
        ("0.22.0", "GRPOConfig", "loss_type", "'dapo'"),
        ("0.29.1", "RLOOConfig", "vllm_mode", "'server'"),
        ("1.0.0", "RLOOConfig", "vllm_mode", "'colocate'"),
        ("1.9.2", "GRPOConfig", "max_completion_length", "256"),
        ("1.10.0", "GRPOConfig", "max_completion_length", "512"),
        ("0.28.0", "DPOConfig", "truncation_mode", "'keep_end'"),
        ("0.29.0", "DPOConfig", "truncation_mode", "'keep_start'"),
        ("1.16.0", "DPOConfig", "loss_type", "['sigmoid']"),
        ("1.12.0", "PPOConfig", "stop_token", "None"),
        ("1.13.0", "PPOConfig", "stop_token", None),
        ("9.9", "SFTConfig", "dataset_text_field", "'text'"),
    ],
)
def test_default_in_a_release(trl: str, config: str, field: str, default: str | None) -> None:
    assert releases.default(Version(trl), config, field) == default


def test_releases_outside_the_history() -> None:
    assert releases.fields(Version("0.7.10"), "SFTConfig") is None
    assert releases.fields(Version("0.13.0"), "GRPOConfig") is None
    assert releases.training_arguments(Version("4.43.4")) is None
    assert releases.line("trl").nearest(Version("0.16.2.dev0")) == Version("0.16.1")
    between = releases.training_arguments(Version("4.48.2"))
    assert between == releases.training_arguments(Version("4.48.0"))


@pytest.mark.parametrize(
    ("trl", "home"),
    [
        ("0.11.4", "trl"),
        ("0.25.1", "trl"),
        ("0.26.0", "trl.experimental.ppo"),
        ("1.12.0", "trl.experimental.ppo"),
        ("1.13.0", None),
    ],
)
def test_where_ppo_lives(trl: str, home: str | None) -> None:
    assert releases.trainer_home(Version(trl), "PPOTrainer") == home
    assert ("PPOTrainer" in releases.trainers(Version(trl))) == (home is not None)


def test_a_moved_trainer_keeps_its_old_door_for_a_while() -> None:
    both = ("trl.experimental.ppo", "trl")
    assert releases.trainer_homes(Version("0.28.0"), "PPOTrainer") == both
    assert releases.trainer_homes(Version("0.29.0"), "PPOTrainer") == both[:1]
    homes = releases.trainer_homes(Version("1.16.0"), "KTOTrainer")
    assert homes == ("trl", "trl.experimental.kto")


def test_arguments_of_trainers() -> None:
    old = releases.trainer_arguments(Version("0.11.4"), "SFTTrainer")
    new = releases.trainer_arguments(Version("0.12.0"), "SFTTrainer")
    assert old and "tokenizer" in old and "max_seq_length" in old
    assert new and "processing_class" in new
    moved = releases.trainer_arguments(Version("0.27.2"), "PPOTrainer")
    assert moved and moved[:4] == ("args", "processing_class", "model", "ref_model")


@pytest.mark.parametrize(
    ("trl", "fits", "does_not"),
    [
        ("0.15.2", ["0.7.2"], ["0.7.3"]),
        ("0.24.0", ["0.10.2"], ["0.11.0"]),
        ("0.26.2", ["0.10.2", "0.11.2"], ["0.11.3", "0.12.0"]),
        ("1.16.0", ["0.22.0", "0.31.0", "0.31.0+cu129"], ["0.21.9", "0.31.1"]),
    ],
)
def test_vllm_window(trl: str, fits: list[str], does_not: list[str]) -> None:
    window = releases.vllm_window(Version(trl))
    assert window is not None
    assert all(fit in window for fit in fits) and not any(release in window for release in does_not)


def test_vllm_before_there_was_a_window() -> None:
    assert releases.vllm_window(Version("0.13.0")) is None
    anything = releases.vllm_window(Version("0.14.0"))
    assert anything is not None and "99.0" in anything


@pytest.mark.parametrize(
    ("trl", "least", "too_old"),
    [
        ("0.15.2", "4.46.0", "4.45.2"),
        ("0.20.0", "4.53.2", "4.53.1"),
        ("1.16.0", "4.56.2", "4.56.1"),
    ],
)
def test_the_transformers_that_trl_requires(trl: str, least: str, too_old: str) -> None:
    required = releases.requirement(Version(trl), "transformers")
    assert required is not None
    assert (least in required, too_old in required) == (True, False)


@pytest.mark.parametrize(
    ("trl", "name", "unknown"),
    [
        ("0.15.2", "grpo", "never read"),
        ("0.18.0", "grpo", "ignored"),
        ("0.19.1", "grpo", "refused"),
        ("0.24.0", "grpo", "ignored"),
        ("0.24.0", "sft", "launched"),
        ("1.16.0", "grpo", "launched"),
    ],
)
def test_what_a_command_does_with_unknown_keys(trl: str, name: str, unknown: str) -> None:
    result = releases.command(Version(trl), name)
    assert result is not None and result[1] == unknown
    assert any(config.endswith("Config") for config in result[0])
    assert releases.command(Version(trl), "ppo") is None


def test_no_step_repeats_the_one_before() -> None:
    for fields in CONFIGS.values():
        for steps in fields.values():
            for before, after in pairwise(steps):
                assert before[1:] != after[1:]


@pytest.mark.parametrize("replacement", REPLACEMENTS, ids=lambda replacement: replacement["field"])
def test_a_replacement_names_fields_that_there_were(replacement: dict[str, object]) -> None:
    for config in replacement["configs"]:  # type: ignore[attr-defined]
        result = releases.replacement(config, str(replacement["field"]))
        assert result is not None and result.source
        assert result.use != replacement["field"]
        if config.endswith("Trainer"):
            continue
        assert replacement["field"] in CONFIGS[config]
        if result.use:
            owner = "TrainingArguments" if "Script" in config else config
            assert releases.lifetimes(owner, result.use)
            assert not result.same or result.since is not None


def test_a_replacement_holds_from_the_release_that_has_it() -> None:
    result = releases.replacement("SFTConfig", "max_seq_length")
    assert result and (result.use, result.same, str(result.since)) == ("max_length", True, "0.16.0")
    inherited = releases.replacement("GRPOConfig", "warmup_ratio")
    assert inherited and (inherited.library, str(inherited.since)) == ("transformers", "5.0.0")
    gone = releases.replacement("GRPOConfig", "max_prompt_length")
    assert gone and (gone.use, gone.same) == (None, False)
    assert releases.replacement("GRPOConfig", "beta") is None


def test_the_data_stay_small() -> None:
    names = ("trl_releases", "transformers_arguments", "replacements")
    assert sum((DATA / f"{name}.json").stat().st_size for name in names) < 150_000
