"""Threads of a twenty-first list: pairs of answers, and how long they may be."""

from reports.report import PAIRS, PREFERENCES, Report, changed, rows

STREAMED = """\
from datasets import IterableDatasetDict, load_dataset
from trl import DPOConfig, DPOTrainer

train = load_dataset("json", data_files="pairs.jsonl", split="train")
held_out = load_dataset("json", data_files="pairs.jsonl", split="train", streaming=True)
training_args = DPOConfig(
    output_dir="dpo",
    precompute_ref_log_probs=True,
    max_steps=1,
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    eval_strategy="steps",
    eval_steps=1,
    learning_rate=5e-7,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = DPOTrainer(
    model="model",
    args=training_args,
    train_dataset=train,
    eval_dataset=IterableDatasetDict({"pairs": held_out}),
)
trainer.train()
"""
LONG = rows(
    *(
        {
            "prompt": f"{'The sea was calm and the road was long. ' * 4}{asked}",
            "chosen": f" {answer}",
            "rejected": " No.",
        }
        for asked, answer in PAIRS
    )
)
CUT = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

training_args = DPOConfig(
    output_dir="dpo-long",
    max_length=64,
    max_prompt_length=None,
    truncation_mode="keep_start",
    max_steps=4,
    per_device_train_batch_size=2,
    learning_rate=1e-3,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    ref_model=AutoModelForCausalLM.from_pretrained("model"),
    args=training_args,
    train_dataset=load_dataset("json", data_files="long.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()
steps = [entry for entry in trainer.state.log_history if "loss" in entry]
moved = any(step["logps/chosen"] or step["rewards/margins"] for step in steps)
print("losses:", *(step["loss"] for step in steps))
print("the answers have a probability:", moved)
"""
SEEN = """\
from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import DPOConfig, DPOTrainer

dataset = load_dataset("parquet", data_files="rows.parquet", split="train")
training_args = DPOConfig(
    output_dir="dpo-vlm",
    max_length=8,
    max_steps=1,
    per_device_train_batch_size=2,
    learning_rate=1e-6,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = DPOTrainer(
    model=AutoModelForImageTextToText.from_pretrained("model"),
    args=training_args,
    train_dataset=dataset,
    processing_class=AutoProcessor.from_pretrained("model"),
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/trl#6307",
        "current",
        "not supported with IterableDataset",
        "precompute_ref_log_probs",
        {"train.py": STREAMED, "pairs.jsonl": PREFERENCES},
        changed(STREAMED, ("precompute_ref_log_probs=True", "precompute_ref_log_probs=False")),
        level="",
    ),
    Report(
        "huggingface/trl#6321",
        "four",
        "the answers have a probability: False",
        "max_length|truncat",
        {"train.py": CUT, "long.jsonl": LONG},
        changed(CUT, ("    max_length=64,\n", "    max_length=256,\n")),
        level="",
    ),
    Report(
        "huggingface/trl#5881",
        "vision",
        "Image features and image tokens do not match|is too short and causes image placeholder",
        "max_length",
        {"train.py": SEEN},
        changed(SEEN, ("    max_length=8,\n", "    max_length=None,\n")),
        sees="llava dpo",
        level="",
    ),
)
