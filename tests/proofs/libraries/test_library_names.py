"""Names that scripts import from installed libraries: only those that are gone are reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ran, reports
from laid import Interpreter

NAMES = (
    "transformers.AdamW",
    "transformers.AutoModelForVision2Seq",
    "transformers.AutoModelForCausalLM",
    "transformers.AutoModelWithLMHead",
    "transformers.HybridCache",
    "transformers.LlamaTokenizerFast",
    "transformers.Qwen2ForCausalLM",
    "transformers.deepspeed.HfDeepSpeedConfig",
    "transformers.integrations.is_deepspeed_zero3_enabled",
    "transformers.models.llama.modeling_llama.LLAMA_ATTENTION_CLASSES",
    "transformers.models.llama.modeling_llama.LlamaDecoderLayer",
    "transformers.optimization.AdamW",
    "transformers.optimization.get_scheduler",
    "transformers.trainer_utils.get_last_checkpoint",
    "transformers.utils.is_torch_tpu_available",
    "datasets.load_metric",
    "datasets.load_dataset",
    "datasets.DownloadMode",
    "datasets.filesystems.S3FileSystem",
    "accelerate.Accelerator",
    "accelerate.utils.set_seed",
    "accelerate.utils.DummyOptimiser",
    "peft.LoraConfig",
    "peft.prepare_model_for_int8_training",
    "peft.utils.other.fsdp_auto_wrap_policy",
)
"""Some that every release here has, some that none has, and some that only some have."""

SCRIPT = "{}\nfrom trl import SFTTrainer\nSFTTrainer('model')\n"
RULE = "import-gone-from-library"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four", "grpo-first", "ppo-first"])
def test_names_that_are_reported_as_gone_are_gone(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    has_peft = ran(python, "-c", "import peft", cwd=tmp_path).returncode == 0
    names = [name for name in NAMES if has_peft or not name.startswith("peft.")]
    lines = ["from {} import {}".format(*name.rsplit(".", 1)) for name in names]
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.format("\n".join(lines)))
    (report,) = reports([script], python, "--level", "files", statuses=(0, 1, 2, 3))
    (check,) = (check for check in report["checks"] if check["rule"] == RULE)
    reported_lines = {finding["line"] for finding in check["findings"]}
    tried = "\n".join(
        f"try:\n    {line}\nexcept ImportError:\n    print({number})"
        for number, line in enumerate(lines, 1)
    )
    process = ran(python, "-c", tried, cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    assert reported_lines == set(map(int, process.stdout.split())) and reported_lines


METHODS = ("train", "evaluate", "log_metrics", "save_state", "push_to_hub", "create_model_card",
           "generate_batch", "save_pretrained", "tokenize_row", "accelerator")  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four", "ppo-first"])
def test_methods_that_are_reported_as_gone_are_gone(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, script = interpreter(environment), tmp_path / "train.py"
    calls = "".join(f"trainer.{name}()\n" for name in METHODS)
    start = (
        "from trl import SFTConfig, SFTTrainer\ntrainer = SFTTrainer('m', args=SFTConfig('o'))\n"
    )
    script.write_text(start + calls)
    (report,) = reports([script], python, "--level", "files", statuses=(0, 1, 2, 3))
    (check,) = (check for check in report["checks"] if check["rule"] == "method-gone-from-trl")
    methods = {METHODS[finding["line"] - 3] for finding in check["findings"]}
    code = f"print(*(n for n in {METHODS!r} if not hasattr(SFTTrainer, n) and n != 'accelerator'))"
    process = ran(python, "-c", f"from trl import SFTTrainer\n{code}", cwd=tmp_path)
    assert methods == set(process.stdout.split()) and len(methods) == 3
