"""Threads of a twenty-eighth list: what a script makes of its rows."""

from reports.report import Report, changed
from reports.twentyeighth.data import AGENTS, INSTRUCTIONS, SHARED, TALKS
from reports.twentyseventh.data import TEXTS

END = """\
    args=SFTConfig(
        output_dir="sft",
        max_steps=2,
        per_device_train_batch_size=4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
BLOCKS = (
    """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

block_size = 32
tokenizer = AutoTokenizer.from_pretrained("model")
texts = load_dataset("json", data_files="corpus.jsonl", split="train")
tokens = texts.map(lambda batch: tokenizer(batch["text"]), batched=True, remove_columns=["text"])


def group(batch):
    joined = sum(batch["input_ids"], [])
    whole = len(joined) // block_size * block_size
    return {"input_ids": [joined[i : i + block_size] for i in range(0, whole, block_size)]}


trainer = SFTTrainer(
    model="model",
    processing_class=tokenizer,
    train_dataset=tokens.map(group, batched=True),
"""
    + END
)
AGENT = (
    """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer


def as_text(row):
    lines = []
    for message in row["messages"]:
        if "tool_calls" in message and len(message["tool_calls"]) > 0:
            names = [call["function"]["name"] for call in message["tool_calls"]]
            lines.append(f"{message['role']} calls {', '.join(names)}")
        else:
            lines.append(f"{message['role']}: {message['content']}")
    return {"text": "\\n".join(lines)}


agents = load_dataset("json", data_files="agents.jsonl", split="train")
trainer = SFTTrainer(
    model="model",
    train_dataset=agents.map(as_text, remove_columns=["messages"]),
"""
    + END
)
ALPACA = (
    """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer


def generate_prompt(data_point):
    if data_point["input"]:
        asked = f"{data_point['instruction']}\\n\\n### Input:\\n{data_point['input']}"
    else:
        asked = data_point["instruction"]
    return {
        "prompt": f"### Instruction:\\n{asked}\\n\\n### Response:\\n",
        "completion": data_point["output"],
    }


data = load_dataset("json", data_files="instructions.json", split="train")
trainer = SFTTrainer(
    model="model",
    train_dataset=data.map(generate_prompt, remove_columns=data.column_names),
"""
    + END
)
SHARE = (
    """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def formatting_prompts_func(examples):
    talks = examples["conversations"]
    return {"text": [tokenizer.apply_chat_template(talk, tokenize=False) for talk in talks]}


dataset = load_dataset("json", data_files="sharegpt.jsonl", split="train")
dataset = dataset.map(formatting_prompts_func, batched=True, remove_columns=["conversations"])
trainer = SFTTrainer(
    model="model",
    processing_class=tokenizer,
    train_dataset=dataset,
"""
    + END
)
AFTER = (
    """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
train_only_after = "ASSISTANT:"


def tokenize(row):
    before, _, after = row["text"].partition(train_only_after)
    parts = [(before + train_only_after, False), (after, True)]
    input_ids, labels = [], []
    for text, learnt in parts:
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        input_ids += ids
        labels += ids if learnt else [-100] * len(ids)
    return {"input_ids": input_ids, "labels": labels}


talks = load_dataset("json", data_files="talks.jsonl", split="train")
trainer = SFTTrainer(
    model="model",
    processing_class=tokenizer,
    train_dataset=talks.map(tokenize, remove_columns=["text"]),
"""
    + END
    + """\
learnt = [
    tokenizer.decode([token for token in row["labels"] if token != -100])
    for row in trainer.train_dataset
]
print("talks in which words of the user are learnt:", sum("USER:" in text for text in learnt))
"""
)
BETWEEN = """\
    parts = []
    for number, piece in enumerate(row["text"].split(train_only_after)):
        answer, mark, asked = piece.partition("USER:")
        parts.append((answer, number > 0))
        parts.append((mark + asked + train_only_after, False))
    parts.pop()
"""
REPORTS = (
    Report(
        "huggingface/datasets#1817",
        "current",
        "ArrowInvalid|expected length",
        r"remove_columns|(other |old |remaining )?columns?.{0,150}(length|rows|number|remov|kept)|"
        r"(length|number of (rows|values)).{0,120}column|attention_mask",
        {"train.py": BLOCKS, "corpus.jsonl": TEXTS},
        changed(
            BLOCKS,
            (
                """\
    joined = sum(batch["input_ids"], [])
    whole = len(joined) // block_size * block_size
    return {"input_ids": [joined[i : i + block_size] for i in range(0, whole, block_size)]}
""",
                """\
    joined = {name: sum(lists, []) for name, lists in batch.items()}
    whole = len(joined["input_ids"]) // block_size * block_size
    return {
        name: [values[i : i + block_size] for i in range(0, whole, block_size)]
        for name, values in joined.items()
    }
""",
            ),
        ),
        level="",
    ),
    Report(
        "hiyouga/LlamaFactory#10455",
        "current",
        r"object of type 'NoneType' has no len\(\)",
        r"tool_calls|\bNone\b|\bnull\b",
        {"train.py": AGENT, "agents.jsonl": AGENTS},
        changed(
            AGENT,
            (
                'if "tool_calls" in message and len(message["tool_calls"]) > 0:',
                'if message.get("tool_calls"):',
            ),
        ),
        level="",
    ),
    Report(
        "johnsmith0031/alpaca_lora_4bit#149",
        "current",
        "KeyError: 'input'",
        r"[`'\"]input[`'\"].{0,160}(column|key|field|missing|not|no)|"
        r"(column|key|field|missing|no).{0,80}[`'\"]input[`'\"]",
        {"train.py": ALPACA, "instructions.json": INSTRUCTIONS},
        changed(ALPACA, ('if data_point["input"]:', 'if data_point.get("input"):')),
        level="",
    ),
    Report(
        "unslothai/unsloth#1000",
        "current",
        "UndefinedError|TypeError",
        r"\brole\b|\bfrom\b.{0,60}\bvalue\b|sharegpt",
        {"train.py": SHARE, "sharegpt.jsonl": SHARED},
        changed(
            SHARE,
            (
                '    talks = examples["conversations"]\n',
                "    talks = [\n"
                '        [{"role": turn["from"], "content": turn["value"]} for turn in talk]\n'
                '        for talk in examples["conversations"]\n'
                "    ]\n",
            ),
        ),
        level="",
    ),
    Report(
        "oobabooga/textgen#3343",
        "current",
        "words of the user are learnt: [1-9]",
        r"(user|prompt|question|asked).{0,120}(label|learn|train|loss|mask)|"
        r"(label|learn|train|loss|mask).{0,120}(user|prompt|question)",
        {"train.py": AFTER, "talks.jsonl": TALKS},
        changed(
            AFTER,
            (
                '    before, _, after = row["text"].partition(train_only_after)\n'
                "    parts = [(before + train_only_after, False), (after, True)]\n",
                BETWEEN,
            ),
        ),
        level="",
    ),
)
