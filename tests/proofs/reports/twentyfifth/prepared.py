"""Threads of a twenty-fifth list: rows whose tokens a script makes itself."""

from reports.report import Report, changed, rows, turn

MASKED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="gsm8k.jsonl", split="train")


def process(sample):
    seq_token = tokenizer.encode(sample["question"] + sample["answer"] + tokenizer.eos_token)
    prompt_token = tokenizer.encode(sample["question"])
    boundary = len(prompt_token)
    loss_mask = [0] * boundary + [1] * (len(seq_token) - boundary)
    labels = [token if kept else -100 for token, kept in zip(seq_token, loss_mask)]
    return {"input_ids": seq_token, "labels": labels}


trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=dataset.map(process, remove_columns=dataset.column_names),
    args=SFTConfig(
        output_dir="gsm8k-sft",
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
cut = 0
for sample, row in zip(dataset, trainer.train_dataset):
    learnt = tokenizer.decode([token for token in row["labels"] if token != -100])
    cut += not learnt.strip().startswith(sample["answer"])
print(f"answers whose first word has no loss: {cut} of {len(dataset)}")
"""
BOUNDARY = """\
    boundary = 0
    while prompt_token[boundary : boundary + 1] == seq_token[boundary : boundary + 1] != []:
        boundary += 1
"""
GSM8K = rows(
    {"question": "What is half of twelve? Answer: ", "answer": "six"},
    {"question": "What is ten less five? Answer: ", "answer": "five"},
    {"question": "What is calm today? Answer: ", "answer": "the sea"},
    {"question": "What passes? Answer: ", "answer": "time"},
)
TRUNCATED = """\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

MAX_LENGTH = 96
tokenizer = AutoTokenizer.from_pretrained("reward")


def tokenize_messages(messages):
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    return tokenizer(text, truncation=True, max_length=MAX_LENGTH)["input_ids"]


def tokenize(row):
    return {
        "chosen_ids": tokenize_messages(row["chosen"]),
        "rejected_ids": tokenize_messages(row["rejected"]),
    }


dataset = load_dataset("json", data_files="preferences.jsonl", split="train")
dataset = dataset.map(tokenize, remove_columns=dataset.column_names)

trainer = RewardTrainer(
    model=AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    processing_class=tokenizer,
    train_dataset=dataset,
    args=RewardConfig(
        output_dir="preference-rm",
        max_steps=2,
        per_device_train_batch_size=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
same = sum(row["chosen_ids"] == row["rejected_ids"] for row in trainer.train_dataset)
print(f"pairs without a difference: {same}")
"""
LONG = "Write a letter that tells {0} what a day at the sea was like, from the morning on, in {1}."
PAIRED = rows(
    *(
        {
            "chosen": [turn("user", asked), turn("assistant", "The sea was calm.")],
            "rejected": [turn("user", asked), turn("assistant", "No.")],
        }
        for asked in (
            "What was it like?",
            LONG.format("a friend who could not be there", "the words of a child of seven years"),
            "And the sea?",
            LONG.format("an aunt who never left her town", "three parts with a title for each one"),
        )
    )
)
REPORTS = (
    Report(
        "areal-project/AReaL#1427",
        "current",
        "answers whose first word has no loss: [1-9]",
        r"boundary|prompt_token|merge|tokeni[sz]ed? (alone|apart|by itself|together|separately)",
        {"train.py": MASKED, "gsm8k.jsonl": GSM8K},
        changed(MASKED, ("    boundary = len(prompt_token)\n", BOUNDARY)),
        level="",
    ),
    Report(
        "natolambert/rlhf-book#503",
        "current",
        "pairs without a difference: [1-9]",
        r"(chosen|rejected).{0,120}(same|identical|equal|differ)|(same|identical).{0,80}(chosen|rejected)",
        {"train.py": TRUNCATED, "preferences.jsonl": PAIRED},
        changed(
            TRUNCATED,
            (
                "dataset = dataset.map(tokenize, remove_columns=dataset.column_names)\n",
                "dataset = dataset.map(tokenize, remove_columns=dataset.column_names)\n"
                "dataset = dataset.filter(lambda row: row['chosen_ids'] != row['rejected_ids'])\n",
            ),
        ),
        level="",
    ),
)
