"""Threads of a twenty-second list: tokens that have a loss, and tokens that should have one."""

from reports.report import COMPLETIONS, PAIRS, Report, changed, rows, turn

ROLES = ("You are a pirate.", "Answer in one word.", "You are a poet.", "You count in weeks.")
ROLE_CHATS = rows(
    *(
        {"messages": [turn("system", role), turn("user", a), turn("assistant", b)]}
        for role, (a, b) in zip(ROLES, PAIRS, strict=True)
    )
)
USER_CHATS = rows(*({"messages": [turn("user", a), turn("assistant", b)]} for a, b in PAIRS))
DEFAULT_SYSTEM = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

MAX_LEN = 256
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def preprocess(example, system_message="You are a helpful assistant."):
    source = example["messages"]
    if source[0]["role"] != "user":
        source = source[1:]
    text = f"<|im_start|>system\\n{system_message}<|im_end|>\\n"
    input_ids = tokenizer(text)["input_ids"]
    labels = [-100] * len(input_ids)
    for sentence in source:
        head = tokenizer(f"<|im_start|>{sentence['role']}\\n")["input_ids"]
        body = tokenizer(f"{sentence['content']}<|im_end|>\\n")["input_ids"]
        input_ids += head + body
        taught = sentence["role"] == "assistant"
        labels += [-100] * len(head) + (body if taught else [-100] * len(body))
    return {
        "input_ids": input_ids[:MAX_LEN],
        "attention_mask": [1] * len(input_ids[:MAX_LEN]),
        "labels": labels[:MAX_LEN],
    }


data = load_dataset("json", data_files="chats.jsonl", split="train")
tokenized = data.map(preprocess, remove_columns=data.column_names)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    data_collator=DataCollatorForSeq2Seq(tokenizer),
    train_dataset=tokenized,
    args=SFTConfig(
        output_dir="roles",
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("the first row:", tokenizer.decode(tokenized[0]["input_ids"]).replace("\\n", " "))
"""
ROLLOUTS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
completions = load_dataset("json", data_files="completions.jsonl", split="train")


def encode(rows):
    \"\"\"The completions that the engine has drawn, for a step of the policy.\"\"\"
    full_texts = [a + b for a, b in zip(rows["prompt"], rows["completion"])]
    enc = tokenizer(full_texts, truncation=True, max_length=64)
    enc["labels"] = [list(ids) for ids in enc["input_ids"]]
    return enc


train = completions.map(encode, batched=True, remove_columns=["prompt", "completion"])
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    data_collator=DataCollatorForSeq2Seq(tokenizer),
    train_dataset=train,
    args=SFTConfig(
        output_dir="rollouts",
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
asked = len(tokenizer(completions[0]["prompt"])["input_ids"])
taught = sum(label != -100 for label in train[0]["labels"][:asked])
print(f"tokens of the first prompt that have a loss: {taught}")
"""
MASKS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
TEMPLATE = None


def trace_labels(row):
    encoded = tokenizer.apply_chat_template(
        row["messages"],
        chat_template=TEMPLATE,
        tokenize=True,
        return_dict=True,
        return_assistant_tokens_mask=True,
    )
    mask = encoded["assistant_masks"]
    ids = encoded["input_ids"]
    return {
        "input_ids": ids,
        "attention_mask": encoded["attention_mask"],
        "labels": [token if said else -100 for token, said in zip(ids, mask)],
    }


chats = load_dataset("json", data_files="chats.jsonl", split="train")
traces = chats.map(trace_labels, remove_columns=["messages"])
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    data_collator=DataCollatorForSeq2Seq(tokenizer),
    train_dataset=traces,
    args=SFTConfig(
        output_dir="traces",
        max_steps=2,
        logging_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
taught = sum(label != -100 for row in traces["labels"] for label in row)
print(f"tokens of all rows that have a loss: {taught}")
"""
GENERATION = """\
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\\\n' }}"
    "{% if message['role'] == 'assistant' %}"
    "{% generation %}{{ message['content'] + '<|im_end|>' }}{% endgeneration %}"
    "{% else %}{{ message['content'] + '<|im_end|>' }}{% endif %}{{ '\\\\n' }}{% endfor %}"
)
"""
REPORTS = (
    Report(
        "QwenLM/Qwen#1089",
        "current",
        r"the first row: <\|im_start\|>system You are a helpful assistant",
        r"\bsystem\b",
        {"train.py": DEFAULT_SYSTEM, "chats.jsonl": ROLE_CHATS},
        changed(
            DEFAULT_SYSTEM,
            (
                '    if source[0]["role"] != "user":\n        source = source[1:]\n',
                '    if source[0]["role"] == "system":\n'
                '        system_message = source[0]["content"]\n        source = source[1:]\n',
            ),
        ),
        level="",
    ),
    Report(
        "RL-Align/RL-Kernel#218",
        "current",
        r"tokens of the first prompt that have a loss: [1-9]",
        r"prompt.{0,80}(loss|label|trained)|(loss|label|trained).{0,80}prompt",
        {"train.py": ROLLOUTS, "completions.jsonl": COMPLETIONS},
        changed(
            ROLLOUTS,
            (
                "    return enc\n",
                '    for prompt, labels in zip(rows["prompt"], enc["labels"]):\n'
                '        asked = len(tokenizer(prompt)["input_ids"])\n'
                "        labels[:asked] = [-100] * asked\n"
                "    return enc\n",
            ),
        ),
        level="",
    ),
    Report(
        "marin-community/marin#7237",
        "four",
        "tokens of all rows that have a loss: 0",
        r"generation|no (target|token|label)|every label|all labels|-100",
        {"train.py": MASKS, "chats.jsonl": USER_CHATS},
        changed(MASKS, ("TEMPLATE = None\n", GENERATION)),
    ),
)
