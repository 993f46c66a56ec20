"""Threads of a twenty-ninth list: what becomes of the rows."""

from reports.report import Report, changed
from reports.twentyninth.data import LEFT, MULTI, PREFERRED, ROLLOUTS, TOOLS

ARGUMENTS = """\
        output_dir="out",
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
"""
END = f"    args=SFTConfig(\n{ARGUMENTS}    ),\n)\ntrainer.train()\n"
DEFINED = (
    """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

# rollouts of our general agent that solved their task
dataset = load_dataset("json", data_files="rollouts.jsonl", split="train")
tokenizer = AutoTokenizer.from_pretrained("model")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype="float32"),
    processing_class=tokenizer,
    train_dataset=dataset,
"""
    + END
    + """\
trained = [tokenizer.decode(ids) for ids in trainer.train_dataset["input_ids"]]
known = sum("The weather in a city" in text for text in trained)
print(f"rows in which the model sees what it can call: {known} of {len(trained)}")
"""
)
STEPS = f"""\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def transform(sample):
    messages = [
        {{"role": message["role"], "content": message["content"]}}
        for message in sample["messages"]
    ]
    return {{
        "prompt": messages,
        "chosen": [sample["chosen"]],
        "rejected": [sample["rejected"]],
    }}


data = load_dataset("json", data_files="steps.json", split="train")
data = data.map(transform, remove_columns=["messages"])
trainer = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype="float32"),
    processing_class=tokenizer,
    train_dataset=data,
    args=DPOConfig(
{ARGUMENTS}    ),
)
trainer.train()
prompts = [tokenizer.decode(ids) for ids in trainer.train_dataset["prompt_ids"]]
print("calls in the prompts:", sum(prompt.count("<tool_call>") for prompt in prompts))
"""
CUT = f"""\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)

MAX_LENGTH = 64
tokenizer = AutoTokenizer.from_pretrained("model")


def encode(row):
    prompt_ids = tokenizer(row["prompt"])["input_ids"]
    response_ids = tokenizer(row["response"] + tokenizer.eos_token)["input_ids"]
    input_ids = prompt_ids + response_ids
    prompt_length = len(prompt_ids)
    if len(input_ids) > MAX_LENGTH:
        # the answer is at the end: cut what is before it
        input_ids = input_ids[-MAX_LENGTH:]
    masked = min(prompt_length, len(input_ids))
    labels = [-100] * masked + input_ids[masked:]
    return {{"input_ids": input_ids, "labels": labels, "response_length": len(response_ids)}}


rows = load_dataset("json", data_files="rows.jsonl", split="train")
rows = rows.map(encode, remove_columns=rows.column_names)
trainer = Trainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype="float32"),
    processing_class=tokenizer,
    train_dataset=rows,
    data_collator=DataCollatorForSeq2Seq(tokenizer),
    args=TrainingArguments(
{ARGUMENTS}    ),
)
trainer.train()
learnt = [sum(label != -100 for label in labels) for labels in rows["labels"]]
lost = sum(max(0, n - m) for n, m in zip(rows["response_length"], learnt))
print("tokens of answers that were not learnt:", lost)
"""
SYSTEMS = (
    """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

SYSTEM = "You are a friendly gardener who helps with every question."
tokenizer = AutoTokenizer.from_pretrained("model")


def prepare(row):
    messages = [{"role": "system", "content": SYSTEM}]
    for message in row["messages"]:
        if message["role"] == "system":
            continue
        messages.append({"role": message["role"], "content": message["content"]})
    return {"messages": messages}


talks = load_dataset("json", data_files="talks.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype="float32"),
    processing_class=tokenizer,
    train_dataset=talks.map(prepare),
"""
    + END
    + """\
texts = [tokenizer.decode(ids) for ids in trainer.train_dataset["input_ids"]]
tasks = [row[0]["content"] for row in talks["messages"] if row[0]["role"] == "system"]
kept = sum(any(task in text for text in texts) for task in tasks)
print(f"tasks that are still told: {kept} of {len(tasks)}")
"""
)
REPORTS = (
    Report(
        "PrimeIntellect-ai/prime-rl#2494",
        "current",
        "sees what it can call: 0 of 4",
        r"tool_defs|columns?.{0,60}\btools\b"
        r"|\btools\b.{0,60}(column|not (passed|given|read)|missing|definition)",
        {"train.py": DEFINED, "rollouts.jsonl": ROLLOUTS, "model/chat_template.jinja": TOOLS},
        changed(
            DEFINED,
            (
                'split="train")\n',
                'split="train")\ndataset = dataset.rename_column("tool_defs", "tools")\n',
            ),
        ),
    ),
    Report(
        "axolotl-ai-cloud/axolotl#3824",
        "current",
        "calls in the prompts: 0\n",
        r"tool_calls|tool.?calls?|calls? of (a |the )?tools?|call.{0,40}(drop|lost|missing|empty)",
        {"train.py": STEPS, "steps.json": PREFERRED, "model/chat_template.jinja": TOOLS},
        changed(
            STEPS,
            (
                '        {"role": message["role"], "content": message["content"]}\n',
                "        {key: value for key, value in message.items() if value is not None}\n",
            ),
        ),
    ),
    Report(
        "verl-project/verl#601",
        "current",
        "were not learnt: [1-9]",
        r"(answer|completion|response|assistant).{0,80}(mask|-100|not (learn|train)|no label|lost)"
        r"|(mask|-100).{0,80}(answer|completion|response)|prompt.{0,40}(length|mask).{0,60}(cut|trunc)"
        r"|labels?.{0,80}(cut|trunc)|(cut|trunc).{0,80}(label|mask)",
        {"train.py": CUT, "rows.jsonl": LEFT},
        changed(
            CUT,
            (
                "        input_ids = input_ids[-MAX_LENGTH:]\n",
                "        prompt_length = max(0, prompt_length - (len(input_ids) - MAX_LENGTH))\n"
                "        input_ids = input_ids[-MAX_LENGTH:]\n",
            ),
        ),
    ),
    Report(
        "ruimalheiro/gradient-garden#114",
        "current",
        "still told: 0 of 3",
        r"system.{0,80}(replac|drop|lost|remov|overwr|ignor|other|not (train|kept|in)|missing)"
        r"|(replac|drop|lose|remov|overwr|ignor).{0,60}system",
        {"train.py": SYSTEMS, "talks.jsonl": MULTI},
        changed(
            SYSTEMS,
            (
                '    messages = [{"role": "system", "content": SYSTEM}]\n',
                '    own = row["messages"][0]["role"] == "system"\n'
                '    messages = [] if own else [{"role": "system", "content": SYSTEM}]\n',
            ),
            (
                '        if message["role"] == "system":\n            continue\n',
                "",
            ),
        ),
    ),
)
