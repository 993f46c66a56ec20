"""From a traced step to each GPU of a run: spread, quantised, with an engine; time and fixes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from trl_doctor_rules._recorded.fit import TRACED

from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.stated_gpus import GpuOptions
from trl_doctor.commands.cli import main
from trl_doctor.core.question import Answer, Question
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast.bitsandbytes import packed_states, packed_weight
from trl_doctor.facts.forecast.changes import changes
from trl_doctor.facts.forecast.duration import duration
from trl_doctor.facts.forecast.hardware import hardware
from trl_doctor.facts.forecast.memory import Forecast, forecast
from trl_doctor.facts.forecast.parts import gathered_in
from trl_doctor.files.target import target
from trl_doctor.machine.cards import card
from trl_doctor.machine.environment import environment
from trl_doctor.probes.answers.fit import FitAnswer
from trl_doctor.probes.answers.libraries import LibrariesAnswer
from trl_doctor.reports import fit_text
from trl_doctor.testing import laid_out

GIB = 1024**3
RECORDED: FitAnswer = TRACED["fit"]
"""What the probe answered of a GRPO step of Qwen2.5-7B's sizes with trl 1.16.0."""

WEIGHTS = RECORDED.sizes.parameters
CONFIG = {
    "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 3584,
    "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28,
    "num_key_value_heads": 4, "vocab_size": 152064, "max_position_embeddings": 32768,
}  # fmt: skip
RUN = {
    "trainer": "grpo", "model_name_or_path": "model", "per_device_train_batch_size": 8,
    "num_generations": 8, "max_completion_length": 1024, "gradient_accumulation_steps": 4,
    "max_steps": 100,
}  # fmt: skip


@contextmanager
def facts_of(gpus: GpuOptions, files: dict[str, Any] | None = None, **run: Any) -> Iterator[Facts]:
    """The facts of the recorded run on these GPUs."""
    there = {"run.json": {**RUN, **run}, "model/config.json": CONFIG, **(files or {})}
    with laid_out(there) as folder:
        world = environment(None, ("trl==1.16.0", "transformers==5.23.0"), installed=False)
        pointed = target(str(folder / "run.json"), offline=True)
        opened = open_run(pointed, world, Options(offline=True, gpus=gpus))
        answers = {"libraries": LibrariesAnswer(failed={}), "fit": RECORDED}
        by_probe = {
            name: Answer(Question(name, name, {}, type(answer)), "answered", answer)
            for name, answer in answers.items()
        }
        oracle = ExampleOracle(by_probe)
        yield Facts(opened, world, oracle)


def foretold(gpus: int = 1, zero: int | None = None, fsdp: bool = False, **run: Any) -> Forecast:
    """The forecast on so many H100."""
    with facts_of(GpuOptions(f"{gpus}xH100", zero=zero, fsdp=fsdp), **run) as facts:
        return facts[forecast]


def parts(result: Forecast, phase: str) -> dict[str, int]:
    return dict(next(entry for entry in result.phases if entry.name == phase).parts)


def test_weights_gradients_and_moments_are_those_of_the_model() -> None:
    by_part = parts(foretold(), "optimizer step")
    assert by_part["weights"] == pytest.approx(4 * WEIGHTS, rel=1e-6)
    assert by_part["gradients"] == pytest.approx(4 * WEIGHTS, rel=1e-6)
    assert by_part["optimizer"] == pytest.approx(8 * WEIGHTS, rel=1e-5)


def test_it_does_not_fit_on_one_gpu() -> None:
    result = foretold()
    assert not result.fits
    assert result.peak.total > 16 * WEIGHTS


def test_what_ddp_adds_and_what_zero_and_fsdp_share_out() -> None:
    ddp, two, three = foretold(8), foretold(8, zero=2), foretold(8, zero=3)
    assert parts(ddp, "backward")["communication"] == 4 * WEIGHTS
    step = {name: parts(result, "optimizer step") for name, result in (("2", two), ("3", three))}
    assert step["2"]["optimizer"] == step["3"]["optimizer"] == 12 * WEIGHTS // 8
    assert step["3"]["weights"] == pytest.approx(step["2"]["weights"] / 8, rel=1e-6)
    assert parts(three, "forward")["gathered"] > 0
    assert ddp.peak.total > two.peak.total > three.peak.total
    shared = foretold(8, fsdp=True)
    assert parts(shared, "optimizer step")["optimizer"] == pytest.approx(WEIGHTS, rel=0.01)


def test_files_of_the_run_set_how_it_is_spread() -> None:
    gpu = GpuOptions("8xH100")
    inner = {"zero_stage": 3, "offload_optimizer_device": "cpu"}
    accelerate = {"distributed_type": "DEEPSPEED", "num_processes": 4, "deepspeed_config": inner}
    with facts_of(gpu, {"zero3.json": accelerate}, accelerate_config="zero3.json") as facts:
        result = facts[hardware]
        assert (result.spread, result.processes, result.offloaded) == ("zero-3", 4, ("optimizer",))
        assert result.spread_from == "zero3.json"
        assert "optimizer" not in parts(facts[forecast], "backward")
    own = {"zero_optimization": {"stage": 2}}
    with facts_of(gpu, deepspeed=own) as facts:
        assert facts[hardware].spread == "zero-2"
    with facts_of(GpuOptions("8xH100", zero=1), deepspeed=own) as facts:
        assert (facts[hardware].spread, facts[hardware].spread_from) == ("zero-1", "--zero")
    with facts_of(gpu, deepspeed="gone.json") as facts, pytest.raises(Unavailable, match="gone"):
        facts[hardware]
    with facts_of(gpu, fsdp="full_shard") as facts:
        assert facts[hardware].spread == "fsdp"
    with facts_of(GpuOptions()) as facts, pytest.raises(NotConcerned):
        facts[hardware]


def test_four_bits_and_eight_bit_states() -> None:
    plain, packed = foretold(), foretold(load_in_4bit=True, use_peft=True)
    linear = RECORDED.sizes.linear
    saved = parts(plain, "load")["weights"] - parts(packed, "load")["weights"]
    assert saved == pytest.approx(linear * (4 - 0.5625), rel=1e-6)
    states = parts(foretold(optim="adamw_bnb_8bit"), "optimizer step")["optimizer"]
    embedded = RECORDED.sizes.embedded  # bitsandbytes keeps the states of embeddings in 32 bits
    assert states == pytest.approx(2 * (WEIGHTS - embedded) + 8 * embedded, rel=0.02)
    assert any("bitsandbytes" in entry for entry in packed.by_rule)
    with pytest.raises(Unavailable, match="gptq"):
        foretold(model_init_kwargs={"quantization_config": {"quant_method": "gptq", "bits": 4}})


def test_few_bits_are_those_of_the_papers_and_libraries() -> None:
    # QLoRA: 0.5 bits a weight for the scales of 64, 0.127 with double quantisation
    assert 8 * packed_weight(4, nested=False) == pytest.approx(4.5)
    assert 8 * packed_weight(4, nested=True) == pytest.approx(4.127, abs=0.0005)
    # the linear layers of Llama-2-7B: 32 x (4 x 4096^2 + 3 x 4096 x 11008) weights
    linear = 32 * (4 * 4096**2 + 3 * 4096 * 11008)
    assert linear * packed_weight(4, nested=True) / GIB == pytest.approx(3.111, abs=0.001)
    assert packed_weight(8, nested=False) == 1
    # a tenth of the weights in embeddings: 0.9 x 2 x (1 + 4/256) + 0.1 x 8 bytes each
    assert packed_states("adamw_bnb_8bit", 1000, 100) == 2628
    assert packed_states("paged_lion_8bit", 1000, 100) == 1314
    assert packed_states("adamw_torch_8bit", 1000, 100) == 2031


def test_a_colocated_engine_takes_its_share_unless_it_sleeps() -> None:
    share = {"use_vllm": True, "vllm_mode": "colocate", "vllm_gpu_memory_utilization": 0.5}
    awake = foretold(**share)
    room = card("H100").memory
    assert parts(awake, "backward")["engine"] == room // 2
    assert awake.engine is not None and awake.engine.requests > 100
    asleep = foretold(**share, vllm_enable_sleep_mode=True)
    assert parts(asleep, "backward")["engine"] == GIB
    assert parts(asleep, "generation")["engine"] == room // 2
    assert "kv cache" not in parts(asleep, "generation")
    served = foretold(use_vllm=True, vllm_mode="server")
    assert served.engine is None and "kv cache" not in parts(served, "generation")


def test_zero_3_gathers_all_weights_for_generation_and_to_merge_an_adapter() -> None:
    whole = foretold(8, zero=3)
    assert parts(whole, "generation")["gathered"] == 2 * WEIGHTS
    layers = foretold(8, zero=3, ds3_gather_for_generation=False)
    assert parts(layers, "generation")["gathered"] < WEIGHTS
    served = foretold(8, zero=3, use_vllm=True, vllm_mode="server")
    assert "gathered" not in parts(served, "generation")
    assert 0 < parts(served, "weight sync")["gathered"] < WEIGHTS
    sizes = replace(RECORDED.sizes, trained=WEIGHTS // 100)
    assert gathered_in(sizes, {}, serves=True)["weight sync"] == WEIGHTS


@pytest.mark.parametrize(("share", "says"), [(0.05, "HAS"), (0.2, "MAY HAVE"), (0.5, "")])
def test_an_engine_without_room_is_reported(share: float, says: str) -> None:
    run = {"use_vllm": True, "vllm_mode": "colocate", "vllm_gpu_memory_utilization": share}
    text = fit_text.render("run.json", foretold(**run), "no time", (), None)
    assert (f"VLLM {says} NO ROOM" in text) if says else "NO ROOM" not in text


def test_what_is_guessed_is_a_range() -> None:
    alone, several = foretold(), foretold(8)
    for result in (alone, several):
        assert all(phase.least < phase.total < phase.most for phase in result.phases)
    assert "NCCL" in parts(several, "forward") and "NCCL" not in parts(alone, "forward")
    assert "CUDA context 0.6 GiB (0.3 to 1.0)" in alone.by_rule[0]
    sleeps = {"use_vllm": True, "vllm_mode": "colocate", "vllm_enable_sleep_mode": True}
    assert "a sleeping engine 1.0 GiB (0.5 to 2.5)" in foretold(**sleeps).by_rule[0]


def test_only_tensors_that_are_not_shared_out_are_named() -> None:
    assert all(tensor.part != "weight copies" for tensor in foretold(8, zero=3).peak.largest)


def test_time_is_a_range_with_its_assumptions() -> None:
    with facts_of(GpuOptions("8xH100")) as facts:
        result = duration(facts, facts[forecast])
        assert result.generation is not None and result.run is not None
        assert 0 < result.step.least < result.step.most
        assert result.completions == 8 * 4 * 8
        assert result.run.most == pytest.approx(100 * result.step.most)
        assert result.steps == 100 and len(result.assumed) == 3
    with facts_of(GpuOptions("8xH100"), use_vllm=True, vllm_mode="server") as facts:
        faster = duration(facts, facts[forecast])
        assert faster.generation is not None
        assert faster.generation.most < result.generation.least


def test_only_changes_that_fit_are_shown() -> None:
    with facts_of(GpuOptions("H100")) as facts:
        results = facts[changes]
        room = card("H100").memory
        assert all(change.peak <= room for change in results)
    with facts_of(GpuOptions("B200")) as facts:
        assert facts[forecast].fits and facts[changes] == ()


def test_the_report_names_phase_lines_and_what_is_not_known() -> None:
    with facts_of(GpuOptions("8xH100")) as facts:
        memory = facts[forecast]
        text = fit_text.render("run.json", memory, duration(facts, memory), (), None)
    assert "IT DOES NOT FIT: forward takes" in text
    assert "most is taken in: forward" in text
    assert "modeling_qwen2.py:" in text
    assert "not yet been compared with a GPU" in text
    assert "GPU-hours" in text
    assert "verdict: does not fit" in text
    assert "no change that was tested makes it fit" in text


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ((), 3, "nothing-there"),
        (("--gpu", "H101"), 2, "near it: "),
        (("--gpu", "H100", "--zero", "3", "--fsdp"), 2, "cannot be combined"),
        (("--gpu", "H100", "--trainer", "abc"), 2, "is not a trainer"),
        (("--gpu", "H100"), 3, "nothing-there"),
    ],
)
def test_wrong_usage_and_no_forecast(
    arguments: tuple[str, ...], status: int, says: str, tmp_path: Path
) -> None:
    result = CliRunner().invoke(main, ["fit", str(tmp_path / "nothing-there.yaml"), *arguments])
    assert (result.exit_code, says in result.output) == (status, True), result.output
