"""What is learned of a row: labels of padded rows, answers of examples, questions."""

from __future__ import annotations

from two_forms.script import TwoForms

PADDED = """\
from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy", padding_side="left")
rows = Dataset.from_list([{"asked": f"Say {'very ' * n}well: ", "said": f"It is {n}.<|im_end|>"}
                          for n in range(8)])


def collate(features):
    whole = tokenizer([row["asked"] + row["said"] for row in features], padding=True,
                      return_tensors="pt")
    labels = whole["input_ids"].masked_fill(whole["attention_mask"] == 0, -100)
    for at, row in enumerate(features):
        start = 0  #~bad
        start = whole["attention_mask"][at].argmax()  #~good
        labels[at, : start + len(tokenizer(row["asked"])["input_ids"])] = -100
    return {**whole, "labels": labels}


args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=4, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no", remove_unused_columns=False,
                 dataset_kwargs={"skip_prepare_dataset": True})
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=rows, data_collator=collate,
                     processing_class=tokenizer)
trainer.train()
labels = collate([*rows])["labels"]
print("ASKS", any("well" in tokenizer.decode(row[row != -100]) for row in labels))
"""
EXAMPLES = """\
from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
SHOTS = [("Say it twice: ho", "ho ho"), ("Say it twice: hi", "hi hi")]
WORDS = ["sea", "time", "six", "bow", "wind", "answer"]


def encode(word):
    ids, mask = [], []
    turns = [*SHOTS, (f"Say it twice: {word}", f"{word} {word}")]
    for number, (asked, said) in enumerate(turns):
        learned = 1  #~bad
        learned = int(number == len(turns) - 1)  #~good
        for text, own in ((f"Q: {asked}\\nA: ", 0), (f"{said}<|im_end|>\\n", learned)):
            part = tokenizer(text)["input_ids"]
            ids, mask = ids + part, mask + [own] * len(part)
    return {"input_ids": ids, "completion_mask": mask}


args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no", completion_only_loss=True)
trainer = SFTTrainer(model="models/healthy", args=args, processing_class=tokenizer,
                     train_dataset=Dataset.from_list([encode(word) for word in WORDS]))
trainer.train()
labels = next(iter(trainer.get_train_dataloader()))["labels"]
print("LEARNS HI", any("hi hi" in tokenizer.decode(row[row != -100]) for row in labels))
"""
QUESTIONS = """\
from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy", padding_side="right")
rows = Dataset.from_list([
    {"talk": [{"role": "user", "content": f"What is after {n}?"},
              {"role": "assistant", "content": f"It is {n + 1}."}]} for n in range(8)])


def collate(features):
    texts = [tokenizer.apply_chat_template(row["talk"], tokenize=False) for row in features]
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    # the loss is computed on the assistant's answer only
    labels = batch["input_ids"].clone()
    labels[batch["attention_mask"] == 0] = -100
    for at, row in enumerate(features):
        front = tokenizer.apply_chat_template(row["talk"][:1], tokenize=False,
                                              add_generation_prompt=True)
        size = 0  #~bad
        size = len(tokenizer(front)["input_ids"])  #~good
        labels[at, :size] = -100
    return {**batch, "labels": labels}


args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=4, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no", remove_unused_columns=False,
                 dataset_kwargs={"skip_prepare_dataset": True})
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=rows, data_collator=collate,
                     processing_class=tokenizer)
trainer.train()
labels = collate([*rows])["labels"]
print("ASKS", any("after" in tokenizer.decode(row[row != -100]) for row in labels))
"""

SCRIPTS = tuple(
    TwoForms(f"{name}, {environment}", environment, rule, script, f"{sign} True", f"{sign} False",
             severity, says)
    for environment in ("current", "four")
    for name, rule, script, sign, severity, says in (
        ("prompts counted from the edge", "step-labels-depend-on-batch", PADDED, "ASKS", "error",
         "other labels in a batch than alone: more tokens are learned"),
        ("learned examples", "step-labels-learn-examples", EXAMPLES, "LEARNS HI", "warning",
         "every row learns the same answer 'ho ho'"),
        ("questions without a mask", "step-labels-have-prompt", QUESTIONS, "ASKS", "warning",
         "loss on the user's words in 8 of 8 rows, but the script says: \"the loss is computed on"),
    )
)  # fmt: skip
