"""Threads of a thirty-ninth list: marks that no row has."""

import json

from laid import ROOT

from reports.report import CHATS, PAIRS, Report, changed, rows

ANSWERS = rows(*({"question": a, "answer": b} for a, b in PAIRS))
RESPONSES = '''\
"""Trains on the responses only, with the marks of the notebook."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="talks.jsonl", split="train")


def train_on_responses_only(row, instruction_part, response_part):
    """All that is between the mark of a response and the next instruction has labels."""
    text = tokenizer.apply_chat_template(row["messages"], tokenize=False)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    start = tokenizer(response_part, add_special_tokens=False)["input_ids"]
    stop = tokenizer(instruction_part, add_special_tokens=False)["input_ids"]
    labels, learning = [-100] * len(ids), False
    for at in range(len(ids)):
        if ids[at : at + len(stop)] == stop:
            learning = False
        if learning:
            labels[at] = ids[at]
        if ids[at + 1 - len(start) : at + 1] == start:
            learning = True
    return {"input_ids": ids, "attention_mask": [1] * len(ids), "labels": labels}


dataset = dataset.map(
    train_on_responses_only,
    remove_columns=["messages"],
    fn_kwargs={
        "instruction_part": "<start_of_turn>user\\n",
        "response_part": "<start_of_turn>model\\n",
    },
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=dataset,
    data_collator=DataCollatorForSeq2Seq(tokenizer),
    args=SFTConfig(
        output_dir="outputs",
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        max_length=512,
        max_steps=1,
        learning_rate=2e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
learnt = sum(label != -100 for row in trainer.train_dataset for label in row["labels"])
print("tokens with a label:", learnt)
'''
LLAMA = json.loads((ROOT / "fixtures/models/healthy/tokenizer.json").read_text())
LAST = max(LLAMA["model"]["vocab"], key=LLAMA["model"]["vocab"].get)
LLAMA["model"]["vocab"]["\u0120["] = LLAMA["model"]["vocab"].pop(LAST)
LLAMA["model"]["merges"] = [*LLAMA["model"]["merges"][:-1], ["\u0120", "["]]
INST = '''\
"""Multiple choice: the loss is of what comes after the response template."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def format(sample):
    question, answer = sample["question"], sample["answer"]
    return f"[INST] Select the correct answer. {question} Answer: [/INST] {answer}"


response_template = "[/INST]"
collator = DataCollatorForCompletionOnlyLM(response_template, tokenizer=tokenizer)
trainer = SFTTrainer(
    AutoModelForCausalLM.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="qa.jsonl", split="train"),
    formatting_func=format,
    data_collator=collator,
    processing_class=tokenizer,
    args=SFTConfig(
        output_dir="llama2-choice",
        max_seq_length=512,
        per_device_train_batch_size=2,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
labels = next(iter(trainer.get_train_dataloader()))["labels"]
print("tokens with a label:", int((labels != -100).sum()))
'''
REPORTS = (
    Report(
        "unslothai/unsloth#2900",
        "four",
        r"tokens with a label: 0\n",
        r"no (token|label)|nothing to learn|labels?.*(-100|mask|none|no )|mask.*(all|every)",
        {"train.py": RESPONSES, "talks.jsonl": CHATS},
        changed(
            RESPONSES,
            ('"<start_of_turn>user\\n"', '"<|im_start|>user\\n"'),
            ('"<start_of_turn>model\\n"', '"<|im_start|>assistant\\n"'),
        ),
    ),
    Report(
        "huggingface/trl#989",
        "grpo-first",
        r"tokens with a label: 0\n",
        r"response_template|response template|no (token|label)|labels?.*(-100|mask|none|no )",
        {"train.py": INST, "qa.jsonl": ANSWERS, "model/tokenizer.json": json.dumps(LLAMA)},
        changed(
            INST,
            (
                'response_template = "[/INST]"',
                'response_template = tokenizer.encode(" [/INST]", add_special_tokens=False)',
            ),
        ),
    ),
)  # fmt: skip
