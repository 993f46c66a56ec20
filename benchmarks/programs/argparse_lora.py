import argparse
import logging
import os
import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback, set_seed
from trl import SFTConfig, SFTTrainer
try:
    import wandb
except ImportError:
    wandb = None
logger = logging.getLogger(__name__)


class Losses(TrainerCallback):
    def __init__(self):
        self.seen = []

    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs and "loss" in logs:
            self.seen.append(logs["loss"])


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="model")
    parser.add_argument("--data", default="alpaca.jsonl")
    parser.add_argument("--output", default="out")
    parser.add_argument("--lr", type=float, default=2e-4)
    parser.add_argument("--lora_r", type=int, default=8)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--bf16", action=argparse.BooleanOptionalAction, default=True)
    return parser.parse_args()


def main():
    options = parse()
    set_seed(42)
    logging.basicConfig(level=logging.INFO)
    if wandb is not None and os.environ.get("WANDB_API_KEY"):
        wandb.init(project="sft")
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    tokenizer.padding_side = "right"
    model = AutoModelForCausalLM.from_pretrained(
        options.model, torch_dtype=torch.bfloat16, device_map="auto"
    )
    model.config.use_cache = False
    data = load_dataset("json", data_files=options.data, split="train")
    data = data.filter(lambda row: len(row["output"]) > 2)
    data = data.map(
        lambda row: {"text": f"### {row['instruction']}\n{row['output']}{tokenizer.eos_token}"},
        remove_columns=data.column_names,
    )
    parts = data.train_test_split(test_size=0.2, seed=1)
    losses = Losses()
    trainer = SFTTrainer(
        model=model,
        args=SFTConfig(
            output_dir=options.output, learning_rate=options.lr, max_steps=options.steps,
            bf16=options.bf16, logging_steps=1, eval_strategy="steps", eval_steps=2,
            save_strategy="steps", save_steps=2, save_total_limit=1, report_to="none",
            per_device_train_batch_size=2, max_length=64, use_cpu=True,
        ),
        train_dataset=parts["train"],
        eval_dataset=parts["test"],
        processing_class=tokenizer,
        peft_config=LoraConfig(
            r=options.lora_r, lora_alpha=16, lora_dropout=0.05,
            target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM",
        ),
        callbacks=[losses],
    )
    metrics = trainer.train().metrics
    trainer.save_metrics("train", metrics)
    trainer.save_state()
    trainer.save_model(options.output)
    assert losses.seen, "nothing was logged"


if __name__ == "__main__":
    main()
