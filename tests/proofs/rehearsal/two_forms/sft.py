"""A script of SFT with places for what is wrong in it."""

from __future__ import annotations

SCRIPT = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, get_linear_schedule_with_warmup
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", torch_dtype=torch.float32)
rows = Dataset.from_list([{"messages": [
    {"role": "user", "content": f"What is {n} and {n}?"},
    {"role": "assistant", "content": f"It is {2 * n}."}]} for n in range(32)])
BEFORE
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=4,
                   logging_steps=4, use_cpu=True, bf16=False, report_to="none"),
    train_dataset=rows,
    processing_class=tokenizer,
    MORE
)
SHOW
"""


def sft(parts: tuple[tuple[str, str], ...]) -> str:
    """A run of SFT with these parts."""
    script = SCRIPT
    for name, text in parts:
        script = script.replace(name, text)
    return script.replace("import torch\n", "import ast\nimport torch\n", 1)
