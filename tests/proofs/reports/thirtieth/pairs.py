"""Threads of a thirtieth list: chosen and rejected answers."""

from reports.report import ANSWERED, ASKED, PREFERENCES, Report, changed, rows, turn

TOLD = rows(
    *(
        {"system": "You are terse.", "prompt": asked, "chosen": said, "rejected": "I cannot say."}
        for asked, said in zip(ASKED, ANSWERED, strict=True)
    )
)
TALKS = rows(
    *(
        {
            "chosen": [turn("user", asked), turn("assistant", said)],
            "rejected": [turn("user", asked), turn("assistant", "No idea at all.")],
        }
        for asked, said in zip(ASKED, ANSWERED, strict=True)
    )
)
LONG = rows(
    *(
        {"chosen": f"{asked} {said} {'Well. ' * more}", "rejected": f"{asked} No."}
        for asked, said, more in zip(ASKED, ANSWERED, (0, 60, 0, 80), strict=True)
    )
)
ROLES = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

ds = load_dataset("json", data_files="told.jsonl", split="train")
ds = ds.map(
    lambda x: {
        "system": [{"role": "system", "content": x["system"]}],
        "prompt": [{"role": "user", "content": x["prompt"]}],
        "chosen": [{"role": "assistant", "content": x["chosen"]}],
        "rejected": [{"role": "user", "content": x["rejected"]}],
    }
)
ds = ds.train_test_split(test_size=0.25, seed=42)

training_args = DPOConfig(
    output_dir="aligning-logs",
    max_steps=1,
    per_device_train_batch_size=1,
    max_length=128,
    max_prompt_length=96,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    ref_model=AutoModelForCausalLM.from_pretrained("model"),
    args=training_args,
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=ds["train"],
    eval_dataset=ds["test"],
)
trainer.train()
"""
HALF = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model_name = "model"
dataset = load_dataset("json", data_files="pairs.jsonl", split="train")
model = AutoModelForCausalLM.from_pretrained(model_name, torch_dtype=torch.float16)
model.config.use_cache = False
tokenizer = AutoTokenizer.from_pretrained(model_name)

training_args = DPOConfig(
    output_dir="smol_dpo_output",
    per_device_train_batch_size=2,
    learning_rate=5e-5,
    lr_scheduler_type="cosine",
    max_steps=2,
    logging_steps=1,
    max_length=128,
    max_prompt_length=64,
    beta=0.1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = DPOTrainer(
    model=model, args=training_args, train_dataset=dataset, processing_class=tokenizer
)
trainer.train()
trainer.save_model("smol_dpo")
saved = AutoModelForCausalLM.from_pretrained("smol_dpo")
print("saved weights are numbers:", all(bool(p.isfinite().all()) for p in saved.parameters()))
"""
FIRST_END = """\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
model.config.pad_token_id = tokenizer.pad_token_id

trainer = RewardTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="talks.jsonl", split="train"),
    args=RewardConfig(
        output_dir="Llama-Reward",
        max_steps=2,
        per_device_train_batch_size=4,
        learning_rate=1.0e-3,
        logging_steps=1,
        max_length=512,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.train()
losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
print("loss at each step:", [round(loss, 4) for loss in losses])
"""
DROPPED = """\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

pairs = load_dataset("json", data_files="long.jsonl", split="train")
config = RewardConfig(
    output_dir="out",
    num_train_epochs=1,
    per_device_train_batch_size=2,
    max_length=128,  # longer texts are truncated
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = RewardTrainer(
    model=AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    args=config,
    processing_class=AutoTokenizer.from_pretrained("reward"),
    train_dataset=pairs,
)
trainer.train()
print(f"{len(trainer.train_dataset)} of {len(pairs)} pairs were trained on")
"""
REPORTS = (
    Report(
        "huggingface/trl#2385",
        "ppo-first",
        "does not start with the chat template applied to the prompt|ValueError",
        r"\brole\b|rejected.{0,80}(user|assistant|template|start)|does not start|chat template",
        {"train.py": ROLES, "told.jsonl": TOLD},
        changed(ROLES, ('"rejected": [{"role": "user"', '"rejected": [{"role": "assistant"')),
    ),
    Report(
        "huggingface/smol-course#61",
        "ppo-first",
        "saved weights are numbers: False",
        r"float16|fp16|half precision|16.bit|nan\b|not a number|float32|underflow|overflow"
        r"|torch_dtype",
        {"train.py": HALF, "pairs.jsonl": PREFERENCES},
        changed(HALF, ("torch_dtype=torch.float16", "torch_dtype=torch.float32")),
    ),
    Report(
        "huggingface/trl#2758",
        "grpo-first",
        r"loss at each step: \[0\.6931, 0\.6931\]",
        r"pad(ding)?[ _]token.{0,120}(eos|end)|(eos|end of).{0,120}pad|first (pad|eos|end)"
        r"|same (score|reward|token)|pooled|0\.693",
        {"train.py": FIRST_END, "talks.jsonl": TALKS},
        {},
        model={"tokenizer_config.json": {"pad_token": "<|im_end|>"}},
    ),
    Report(
        "huggingface/trl#2488",
        "ppo-first",
        "2 of 4 pairs were trained on",
        r"max_length|filter|dropp|discard|longer than|left out|removed|too long|not truncated",
        {"train.py": DROPPED, "long.jsonl": LONG},
        changed(
            DROPPED,
            ("max_length=128,  # longer texts are truncated", "max_length=1024,"),
        ),
    ),
)
