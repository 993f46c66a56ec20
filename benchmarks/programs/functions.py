import os
import random
import re
from typing import Any
import numpy as np
from datasets import concatenate_datasets, load_dataset
from peft import LoraConfig
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ.setdefault("WANDB_PROJECT", "grpo")
random.seed(0)
np.random.seed(0)
SYSTEM = "Answer with a number."


def prepared(row: dict[str, Any]) -> dict[str, Any]:
    return {"prompt": [{"role": "system", "content": SYSTEM}, *row["prompt"]],
            "solution": row["solution"]}


def matches(completions, solution, **kwargs) -> list[float]:
    texts = [one[0]["content"] for one in completions]
    return [1.0 if re.search(str(s), t) else 0.1 * (len(t) % 5) for t, s in zip(texts, solution)]


def brief(completions, trainer_state=None, **kwargs):
    return [-len(one[0]["content"]) / 100 for one in completions]


def build() -> GRPOTrainer:
    tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
    rows = load_dataset("json", data_files="ask.jsonl", split="train")
    rows = concatenate_datasets([rows.map(prepared), rows.map(prepared)]).shuffle(seed=3)
    config = GRPOConfig(
        output_dir="out", run_name="first", learning_rate=1e-5, lr_scheduler_type="cosine",
        warmup_steps=1, per_device_train_batch_size=2, gradient_accumulation_steps=2,
        num_generations=4, max_completion_length=16, max_steps=2, temperature=0.9, beta=0.01,
        logging_steps=1, save_strategy="no", report_to="none", use_cpu=True, bf16=False,
        log_completions=False, reward_weights=[1.0, 0.5],
    )
    lora = LoraConfig(r=8, lora_alpha=16, target_modules="all-linear", task_type="CAUSAL_LM")
    return GRPOTrainer(
        model="model", reward_funcs=[matches, brief], args=config, train_dataset=rows,
        processing_class=tokenizer, peft_config=lora,
    )


trainer = build()
trainer.train()
history = [log for log in trainer.state.log_history if "reward" in log]
assert history and len(history) <= 2
trainer.save_model("out/last")
