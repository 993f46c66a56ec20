"""Threads that searches for symptoms found: what GRPO of a release has no name for."""

from reports.report import COMPLETIONS, PROMPTS, Report, changed

TOP_P = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="rows.jsonl", split="train")


def no_repeat(completions, **kwargs):
    return [len(set(text)) / (len(text) or 1) for text in completions]


training_args = GRPOConfig(
    temperature=0.6,
    top_p=0.95,
    learning_rate=5e-6,
    weight_decay=0.01,
    warmup_ratio=0.1,
    lr_scheduler_type="linear",
    logging_steps=1,
    per_device_train_batch_size=2,
    num_generations=2,
    max_prompt_length=32,
    max_completion_length=8,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    output_dir="outputs",
    use_cpu=True,
)
trainer = GRPOTrainer(
    model=model,
    processing_class=tokenizer,
    reward_funcs=[no_repeat],
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
"""
SEQUENCES = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def correctness(completions, gold, **kwargs):
    return [float(len(text)) / (len(right) or 1) for text, right in zip(completions, gold)]


def build_config(loss_type):
    return GRPOConfig(
        output_dir="phase3_grpo",
        loss_type=loss_type,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        num_generations=2,
        max_completion_length=8,
        max_steps=1,
        beta=0.0,
        epsilon=3e-4,
        epsilon_high=4e-4,
        report_to="none",
        save_strategy="no",
        bf16=False,
        use_cpu=True,
    )


def main():
    dataset = load_dataset("json", data_files="rows.jsonl", split="train")
    dataset = dataset.map(
        lambda row: {"prompt": "Question: " + row["prompt"], "gold": row["completion"]},
        remove_columns=["completion"],
    )
    trainer = GRPOTrainer(
        model="model",
        reward_funcs=[correctness],
        args=build_config("gspo"),
        train_dataset=dataset,
    )
    trainer.train()


if __name__ == "__main__":
    main()
"""
OLD_LOSS = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


class VisionGRPOTrainer(GRPOTrainer):
    \"\"\"Scales the loss, as the paper does.\"\"\"

    def compute_loss(self, model, inputs, return_outputs=False):
        if return_outputs:
            raise ValueError("The GRPOTrainer does not support returning outputs")
        return 0.5 * super().compute_loss(model, inputs)


def format_reward(completions, **kwargs):
    return [float(text.strip().endswith(".")) + 0.01 * len(text) for text in completions]


dataset = load_dataset("json", data_files="rows.jsonl", split="train")
trainer = VisionGRPOTrainer(
    model="model",
    reward_funcs=format_reward,
    args=GRPOConfig(
        output_dir="Qwen2-VL-GRPO",
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=dataset,
)
trainer.train()
"""
REPORTS = (
    Report(
        "unslothai/unsloth#2576",
        "grpo-first",
        "unexpected keyword argument 'top_p'",
        "top_p",
        {"train.py": TOP_P, "rows.jsonl": PROMPTS},
        changed(TOP_P, ("    top_p=0.95,\n", "")),
    ),
    Report(
        "unslothai/unsloth#3122",
        "four",
        "Unknown loss type: gspo",
        "importance_sampling_level|gspo",
        {"train.py": SEQUENCES, "rows.jsonl": COMPLETIONS},
        changed(
            SEQUENCES,
            (
                "loss_type=loss_type,",
                'loss_type=loss_type,\n        importance_sampling_level="sequence",',
            ),
            ('build_config("gspo")', 'build_config("grpo")'),
        ),
    ),
    Report(
        "StarsfieldAI/R1-V#75",
        "grpo-first",
        "unexpected keyword argument 'num_items_in_batch'",
        "num_items_in_batch",
        {"train.py": OLD_LOSS, "rows.jsonl": PROMPTS},
        changed(
            OLD_LOSS,
            (
                "def compute_loss(self, model, inputs, return_outputs=False):",
                "def compute_loss(self, model, inputs, return_outputs=False, "
                "num_items_in_batch=None):",
            ),
        ),
    ),
)
