"""Numbers that end a run or its weights, and others near them: what is told at `files`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import ran, reports
from laid import ROOT, Interpreter

RULES = ("argument-number-refused", "run-takes-no-step")
SFT = {
    "seed": (-1, 2**32, 0),
    "save_steps": (1.5, 0.5),
    "logging_steps": (0, 1.5, 1),
    "dataloader_num_workers": (-1, 0),
    "gradient_accumulation_steps": (0, 1),
    "per_device_train_batch_size": (0, -1, 2),
    "warmup_steps": (-1, 0),
    "dataloader_prefetch_factor": (2,),
    "torch_empty_cache_steps": (0, 1),
    "neftune_noise_alpha": (-5.0, 5.0),
}
GRPO = {
    "temperature": (-1.0, 0.0, 0.9),
    "top_p": (-0.1, 0.9),
    "top_k": (-1, 5),
    "num_generations": (-2, 4),
    "max_completion_length": (0, -1, 3),
    "num_iterations": (-1, 0, 2),
    "steps_per_generation": (0, -1, 2),
    "generation_batch_size": (0, -4, 4),
    "repetition_penalty": (0.0, 1.2),
    "min_p": (-0.1, 1.5, 0.1),
}
COMMON = {"output_dir": "out", "max_steps": 2, "per_device_train_batch_size": 4, "use_cpu": True,
          "bf16": False, "report_to": "none", "save_strategy": "no"}  # fmt: skip
OF_GRPO = {"num_generations": 2, "max_completion_length": 4}
REAL = """\
import json, sys
import datasets, trl
from transformers import AutoModelForCausalLM, AutoTokenizer

rows = datasets.load_dataset("json", data_files="rows.jsonl", split="train")
tokenizer = AutoTokenizer.from_pretrained("model")


def longer(completions, **kwargs):
    return [float(len(text)) for text in completions]


def trains(trainer, arguments):
    model = AutoModelForCausalLM.from_pretrained("model")
    more = {"reward_funcs": longer} if trainer == "grpo" else {}
    config, name = (("GRPOConfig", "GRPOTrainer") if more else ("SFTConfig", "SFTTrainer"))
    given = rows if more else rows.rename_column("prompt", "text")
    made = getattr(trl, name)(model, args=getattr(trl, config)(**arguments), train_dataset=given,
                              processing_class=tokenizer, **more)
    made.train()
    finite = all(bool(weight.isfinite().all()) for weight in made.model.parameters())
    return made.state.global_step > 0 and finite


results = {}
for name in sys.argv[1:]:
    run = json.load(open(name))
    run.pop("dataset_name"), run.pop("model_name_or_path"), run.pop("reward_funcs", None)
    try:
        results[name] = trains(run.pop("trainer"), run)
    except Exception:
        results[name] = False
print(json.dumps(results))
"""


def written(folder: Path, fields: set[str]) -> list[str]:
    """The run files in the folder, one for each number of an argument that the release has."""
    names = []
    for trainer, table in (("sft", SFT), ("grpo", GRPO)):
        for key, numbers in table.items():
            for number in numbers if key in fields else ():
                run = {"trainer": trainer, "model_name_or_path": "model",
                       "dataset_name": "rows.jsonl", **COMMON}  # fmt: skip
                if trainer == "grpo":
                    run |= {"reward_funcs": ["accuracy_reward"], **OF_GRPO}
                if key == "save_steps":
                    run["save_strategy"] = "steps"
                names.append(f"{trainer}-{key}-{number}.json")
                (folder / names[-1]).write_text(json.dumps(run | {key: number}))
    return names


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["grpo-shapes", "four", "current"])
def test_what_is_refused_is_reported(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    (tmp_path / "model").symlink_to(ROOT / "fixtures/models/healthy")
    rows = [json.dumps({"prompt": f"What is {number}?"}) for number in range(8)]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    asked = "import trl; print(*{**trl.SFTConfig.__dataclass_fields__, "
    asked += "**trl.GRPOConfig.__dataclass_fields__})"
    names = written(tmp_path, set(ran(python, "-c", asked, cwd=tmp_path).stdout.split()))
    process = ran(python, "-c", REAL, *names, cwd=tmp_path)
    trains = json.loads(process.stdout.splitlines()[-1])
    paths = [tmp_path / name for name in names]
    told = reports(paths, python, "--level", "files", statuses=(0, 1, 2, 3))
    for name, report in zip(names, told, strict=True):
        checks = [check for check in report["checks"] if check["rule"] in RULES]
        found = any(check["findings"] for check in checks)
        assert found is not trains[name], (name, process.stderr[-500:])
