"""Threads of a thirty-fourth list: how far a training goes, and which of its steps is kept."""

from reports.report import PAIRS, PROMPTS, Report, changed, rows

FEW = rows(*({"prompt": a, "response": b} for a, b in PAIRS[:2]))
MANY = rows(*({"text": f"{a} {b} This is note {n}."} for n in range(6) for a, b in PAIRS))
SLOW = '''\
"""Two facts for a small chat model, with LoRA."""

import torch
from datasets import load_dataset
from peft import LoraConfig, TaskType
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class SftConfig:
    sft_file = "facts.jsonl"
    base = "model"
    output_dir = "facts-lora"
    per_device_train_batch_size = 12
    gradient_accumulation_steps = 4
    learning_rate = 1e-8
    num_train_epochs = 10


def as_text(row):
    return {"text": f"{row['prompt']} {row['response']}"}


def loss_of(model, tokenizer, row):
    inputs = tokenizer(as_text(row)["text"] + tokenizer.eos_token, return_tensors="pt")
    with torch.no_grad():
        return model(**inputs, labels=inputs["input_ids"]).loss.item()


def sft(config):
    tokenizer = AutoTokenizer.from_pretrained(config.base)
    model = AutoModelForCausalLM.from_pretrained(config.base, dtype=torch.float32)
    data = load_dataset("json", data_files=config.sft_file, split="train")
    before = [loss_of(model, tokenizer, row) for row in data]
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=data.map(as_text, remove_columns=data.column_names),
        peft_config=LoraConfig(
            task_type=TaskType.CAUSAL_LM, r=16, lora_alpha=32, target_modules="all-linear"
        ),
        args=SFTConfig(
            output_dir=config.output_dir,
            per_device_train_batch_size=config.per_device_train_batch_size,
            gradient_accumulation_steps=config.gradient_accumulation_steps,
            learning_rate=config.learning_rate,
            num_train_epochs=config.num_train_epochs,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    model = trainer.model.eval()
    after = [loss_of(model, tokenizer, row) for row in data]
    return sum(before) - sum(after)


if __name__ == "__main__":
    print(f"the loss of the two facts fell by {sft(SftConfig()):.3f}")
'''
LAST = '''\
"""Notes of a team: the best of the evaluated checkpoints is kept."""

from datasets import load_dataset
from trl import SFTConfig, SFTTrainer


def load_parts(path, size=2):
    parts = load_dataset("json", data_files=path, split="train").train_test_split(size, seed=7)
    return parts["train"], parts["test"]


def main():
    train, dev = load_parts("notes.jsonl")
    trainer = SFTTrainer(
        model="model",
        train_dataset=train,
        eval_dataset=dev,
        args=SFTConfig(
            output_dir="notes-model",
            num_train_epochs=1,
            per_device_train_batch_size=2,
            learning_rate=1e-3,
            eval_strategy="steps",
            save_strategy="steps",
            logging_strategy="steps",
            eval_steps=0.6,
            save_steps=0.6,
            logging_steps=0.6,
            load_best_model_at_end=True,
            save_total_limit=2,
            report_to="none",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    kept = int(trainer.state.best_model_checkpoint.rsplit("-", 1)[1])
    print(f"the model that is kept has {kept} of {trainer.state.max_steps} steps")
    trainer.save_model("notes-model/best")


if __name__ == "__main__":
    main()
'''
CHOSEN = '''\
"""GRPO on short answers; the checkpoint that does best on the held-out prompts is kept."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def brief(completions, **kwargs):
    """Short answers are paid."""
    return [1.0 - len(text) / 100 for text in completions]


def varied(completions, **kwargs):
    """So are answers whose words differ."""
    return [len(set(text.split())) / (len(text.split()) or 1) for text in completions]


def arguments(**changes):
    settings = {
        "output_dir": "short-answers",
        "max_steps": 4,
        "per_device_train_batch_size": 2,
        "per_device_eval_batch_size": 2,
        "num_generations": 2,
        "max_completion_length": 12,
        "learning_rate": 1e-3,
        "eval_strategy": "steps",
        "save_strategy": "steps",
        "eval_steps": 2,
        "save_steps": 2,
        "save_total_limit": 1,
        "load_best_model_at_end": True,
        "report_to": "none",
        "use_cpu": True,
        "bf16": False,
    }
    return GRPOConfig(**{**settings, **changes})


if __name__ == "__main__":
    prompts = load_dataset("json", data_files="prompts.jsonl", split="train")
    parts = prompts.train_test_split(test_size=2, seed=0)
    trainer = GRPOTrainer(
        model="model",
        reward_funcs=[brief, varied],
        train_dataset=parts["train"],
        eval_dataset=parts["test"],
        args=arguments(),
    )
    trainer.train()
    print("the checkpoint is kept for its", trainer.args.metric_for_best_model)
'''
REPORTS = (
    Report(
        "charent/ChatLM-mini-Chinese#21",
        "current",
        r"fell by -?0\.000",
        r"learning.?rate|hardly (learn|change|move)|barely",
        {"train.py": SLOW, "facts.jsonl": FEW},
        changed(SLOW, ("learning_rate = 1e-8", "learning_rate = 1e-3")),
    ),
    Report(
        "huggingface/transformers#28539",
        "grpo-shapes",
        "has 7 of 11 steps",
        r"load_best_model_at_end|(last|final|after).{0,80}(evaluat|step)|eval_steps",
        {"train.py": LAST, "notes.jsonl": MANY},
        changed(
            LAST,
            ('eval_strategy="steps"', 'eval_strategy="epoch"'),
            ('save_strategy="steps"', 'save_strategy="epoch"'),
            ("            eval_steps=0.6,\n            save_steps=0.6,\n", ""),
        ),
    ),
    Report(
        "modelscope/ms-swift#9730",
        "current",
        "kept for its loss",
        r"metric_for_best_model|eval_reward|(best|kept).{0,80}loss",
        {"train.py": CHOSEN, "prompts.jsonl": PROMPTS},
        changed(
            CHOSEN,
            (
                '        "load_best_model_at_end": True,\n',
                '        "load_best_model_at_end": True,\n'
                '        "metric_for_best_model": "eval_reward",\n'
                '        "greater_is_better": True,\n',
            ),
        ),
    ),
)
