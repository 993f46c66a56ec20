"""Where a forecast gets its GPUs from, and what it reports about a step that cannot be traced."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from click.testing import CliRunner

from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.session import Session
from trl_doctor.checkup.stated_gpus import GpuOptions
from trl_doctor.commands.cli import main
from trl_doctor.core.question import Answer, Question
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast.hardware import Hardware, hardware
from trl_doctor.facts.forecast.memory import Forecast, forecast
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment
from trl_doctor.probes.answers.fit import FitAnswer
from trl_doctor.probes.answers.libraries import LibrariesAnswer
from trl_doctor.reports import fit_text
from trl_doctor.testing import laid_out

WORLD = environment(None, ("trl==1.16.0", "transformers==5.23.0"), installed=False)
RUN = {"trainer": "sft", "model_name_or_path": "model", "max_length": 2048}
QWEN = {
    "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 3584,
    "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28,
    "num_key_value_heads": 4, "vocab_size": 152064,
}  # fmt: skip
MAMBA = {
    "architectures": ["MambaForCausalLM"], "model_type": "mamba", "hidden_size": 2560,
    "num_hidden_layers": 64, "vocab_size": 50280,
}  # fmt: skip
SLURM = """#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gres=gpu:h100:8
srun accelerate launch {} -m trl.scripts.sft --config run.json
"""


MAPPED = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer
rows = load_dataset("json", data_files="rows.jsonl", split="train").map(lambda row: row)
SFTTrainer("model", args=SFTConfig("out", max_length=2048), train_dataset=rows)
"""


@contextmanager
def untraced(config: dict[str, Any], script: str = "", **run: Any) -> Iterator[Facts]:
    """The facts of a run, or of a script, whose step was not traced."""
    files = {"train.py": script} if script else {"run.json": {**RUN, **run}}
    with laid_out({**files, "model/config.json": config}) as folder:
        pointed = target(str(folder / next(iter(files))), offline=True)
        opened = open_run(pointed, WORLD, Options(offline=True, gpus=GpuOptions("H100")))
        libraries = Question("libraries", "libraries", {}, LibrariesAnswer)
        step = Question("fit", "fit", {}, FitAnswer)
        refused = Answer(step, "refused", None, reason="no kernel for this")
        answers = {"libraries": Answer(libraries, "answered", LibrariesAnswer(failed={}))}
        yield Facts(opened, WORLD, ExampleOracle({**answers, "fit": refused}))


def foretold(config: dict[str, Any], **run: Any) -> Forecast:
    with untraced(config, **run) as facts:
        return facts[forecast]


def test_a_step_that_cannot_be_traced_is_estimated_by_formula() -> None:
    result = foretold(QWEN)
    assert result.answer.sizes.parameters == pytest.approx(7.615e9, rel=0.001)
    assert result.answer.architecture == "Qwen2ForCausalLM"
    text = fit_text.render("run.json", result, "", None, None)
    assert "ESTIMATED BY FORMULA" in text and "no kernel for this" in text
    by_part = next(phase for phase in result.phases if phase.name == "optimizer step").parts
    assert by_part["optimizer"] == 8 * result.answer.sizes.parameters
    assert foretold(MAMBA).answer.sizes.parameters == pytest.approx(2.8e9, rel=0.05)


def test_rows_that_a_script_changes_are_of_full_length() -> None:
    with untraced(QWEN, MAPPED) as facts:
        assert facts[forecast].phases == foretold(QWEN).phases


def test_an_adapter_and_a_reference_by_formula() -> None:
    small = foretold(QWEN, use_peft=True, lora_target_modules="all-linear")
    assert small.answer.sizes.trained < 0.01 * small.answer.sizes.parameters
    paired = {"trainer": "dpo"}
    assert foretold(QWEN, **paired).answer.held["reference"] == 4 * 7_615_283_200
    rows = foretold(QWEN, **paired).answer.calls["forward"]
    assert tuple(map(tuple, rows)) == ((16, 2048),)


def test_a_config_without_sizes_has_no_forecast() -> None:
    with pytest.raises(Unavailable, match=r"no kernel for this; config\.json does not say width"):
        foretold({"architectures": ["X"], "model_type": "x"})


def spread_of(options: str, files: dict[str, Any] | None = None, **gpus: Any) -> Hardware:
    """The hardware of a Slurm job whose launcher has these options."""
    there = {"job.sbatch": SLURM.format(options).encode(), "run.json": RUN}
    with laid_out({**there, "model/config.json": QWEN, **(files or {})}) as folder:
        given = target(str(folder / "job.sbatch"), offline=True)
        session = Session((), WORLD, ExampleOracle({}), Options(offline=True), "error", ())
        (part,) = session.parts(given)
        run = open_run(part, WORLD, Options(offline=True, gpus=GpuOptions(**gpus)))
        return Facts(run, WORLD, ExampleOracle({}))[hardware]


def test_a_slurm_job_names_nodes_gpus_and_how_they_share() -> None:
    result = spread_of("--config_file z.json", {"z.json": {
        "distributed_type": "DEEPSPEED", "deepspeed_config": {"zero_stage": 3}}})  # fmt: skip
    assert (result.card.name, result.processes, result.spread) == ("H100-80GB", 16, "zero-3")
    assert result.processes_from == "job.sbatch"
    assert spread_of("--use_deepspeed --zero_stage 2").spread == "zero-2"
    assert spread_of("--use_fsdp").spread == "fsdp"
    assert spread_of("--num_processes 4").processes == 4
    assert spread_of("", gpu="A100-40GB").processes == 16
    assert spread_of("", gpu="4xA100-40GB", nodes=1).processes == 4


def test_accelerates_file_may_name_one_of_deepspeed() -> None:
    inner = {
        "distributed_type": "DEEPSPEED",
        "deepspeed_config": {"deepspeed_config_file": "d.json"},
    }
    files = {"z.json": inner, "d.json": {"zero_optimization": {"stage": 1}}}
    assert spread_of("--config_file z.json", files).spread == "zero-1"
    with pytest.raises(Unavailable, match=r"gone\.json is not here"):
        spread_of("--config_file gone.json")


def test_the_gpus_of_this_machine_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    with laid_out({"run.json": RUN, "model/config.json": QWEN}) as folder:
        pointed = target(str(folder / "run.json"), offline=True)
        run = open_run(pointed, WORLD, Options(gpus=GpuOptions("8xH100")))
        assert Facts(run, WORLD, ExampleOracle({}))[hardware].processes == 8


def test_a_run_file_names_no_gpu() -> None:
    with laid_out({"run.json": RUN}) as folder:
        result = CliRunner().invoke(main, ["fit", str(folder / "run.json")])
    assert (result.exit_code, "on which GPU?" in result.output) == (2, True), result.output


POD = """apiVersion: v1
kind: Pod
spec:
  nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB}
  containers:
    - command: [trl, sft, --config, run.json]
      resources: {limits: {nvidia.com/gpu: 4}}
"""
AFFINE = """apiVersion: v1
kind: Pod
spec:
  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
    {matchExpressions: [{key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-L40S]}]}]}}}
  containers:
    - command: [trl, sft, --config, run.json]
      resources: {limits: {nvidia.com/gpu: 2}}
"""
SKY = """num_nodes: 2
resources: {accelerators: A100:8}
run: trl sft --config run.json
"""
TOTAL = """#!/bin/bash
#SBATCH --nodes=2 --gpus=h100:16
srun trl sft --config run.json
"""
FEATURE = """#!/bin/bash
#SBATCH --gpus-per-node=4 --constraint=a100
srun trl sft --config run.json
"""


@pytest.mark.parametrize(
    ("name", "text", "gpu", "number"),
    [
        ("pod.yaml", POD, "A100-40GB", 4), ("pod.yaml", AFFINE, "L40S-48GB", 2),
        ("task.yaml", SKY, "A100-40GB", 16), ("job.sbatch", TOTAL, "H100-80GB", 16),
        ("job.sbatch", FEATURE, "A100-80GB", 4),
    ],
)  # fmt: skip
def test_check_takes_the_gpus_of_a_launch_file(name: str, text: str, gpu: str, number: int) -> None:
    with laid_out({name: text, "run.json": RUN, "model/config.json": QWEN}) as folder:
        session = Session((), WORLD, ExampleOracle({}), Options(offline=True), "error", ())
        (part,) = session.parts(target(str(folder / name), offline=True))
        result = Facts(open_run(part, WORLD, session.options), WORLD, ExampleOracle({}))[hardware]
    assert (result.card.name, result.processes, result.processes_from) == (gpu, number, name)


def test_a_gpu_of_a_launch_file_that_is_not_known() -> None:
    text = SLURM.format("").replace("h100", "mi300x")
    with laid_out({"job.sbatch": text, "run.json": RUN, "model/config.json": QWEN}) as folder:
        session = Session((), WORLD, ExampleOracle({}), Options(offline=True), "error", ())
        (part,) = session.parts(target(str(folder / "job.sbatch"), offline=True))
        facts = Facts(open_run(part, WORLD, session.options), WORLD, ExampleOracle({}))
        with pytest.raises(Unavailable, match="asks for mi300x: no GPU 'mi300x' is known: use"):
            facts[hardware]
