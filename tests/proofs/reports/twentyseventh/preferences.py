"""Threads of a twenty-seventh list: preferences that take the answers' likelihood down."""

from reports.report import Report, changed
from reports.twentyseventh.data import CHOICES

COLLAPSE = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import CPOConfig, CPOTrainer, SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
pairs = load_dataset("json", data_files="pairs.jsonl", split="train")
tuned = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32),
    processing_class=tokenizer,
    train_dataset=pairs.remove_columns("rejected").rename_column("chosen", "completion"),
    args=SFTConfig(
        output_dir="sft",
        max_steps=40,
        per_device_train_batch_size=6,
        learning_rate=2e-2,
        logging_steps=20,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
tuned.train()
args = CPOConfig(
    output_dir="simpo",
    loss_type="simpo",
    cpo_alpha=0.0,
    beta=2.5,
    simpo_gamma=1.4,
    learning_rate=5e-3,
    max_length=128,
    max_prompt_length=64,
    max_steps=20,
    per_device_train_batch_size=4,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = CPOTrainer(
    model=tuned.model,
    args=args,
    processing_class=tokenizer,
    train_dataset=pairs,
)
trainer.train()
logged = [line for line in trainer.state.log_history if "logps/chosen" in line]
first, last = logged[0]["logps/chosen"], logged[-1]["logps/chosen"]
print(f"log-probability of the chosen answers: {first:.2f}, then {last:.2f}")
print("the chosen answers are less likely than before:", last < first - 1)
"""
REPORTS = (
    Report(
        "princeton-nlp/SimPO#12",
        "four",
        "less likely than before: True",
        r"cpo_alpha|learning[_ ]rate|chosen.{0,100}(less|lower|fall|fell|drop|decreas|down)",
        {"train.py": COLLAPSE, "pairs.jsonl": CHOICES},
        changed(COLLAPSE, ("    cpo_alpha=0.0,\n", "    cpo_alpha=1.0,\n")),
        level="",
    ),
)
