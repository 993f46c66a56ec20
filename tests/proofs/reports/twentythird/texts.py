"""Threads of a twenty-third list: what becomes of the texts of the rows."""

from reports.report import Report, changed, rows, turn

QUOTES = rows(
    {"quote": "Be yourself; everyone else is taken.", "author": "Oscar Wilde"},
    {"quote": "So many books, so little time.", "author": "Frank Zappa"},
    {"quote": "A room without books is a body without a soul.", "author": "Cicero"},
    {"quote": "You only live once, but once is enough.", "author": "Mae West"},
)
LOG = "The job was started at nine. The first step took a second. " * 6
TICKETS = rows(
    {"messages": [turn("user", "Is it up?"), turn("assistant", "Yes, it is.")]},
    {"messages": [turn("user", LOG + "What failed?"), turn("assistant", "The disk was full.")]},
    {"messages": [turn("user", "Who is on call?"), turn("assistant", "Ann is.")]},
    {"messages": [turn("user", LOG + "And now?"), turn("assistant", "Start it again.")]},
)
FORMATTED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model_id = "model"
tokenizer = AutoTokenizer.from_pretrained(model_id)
model = AutoModelForCausalLM.from_pretrained(model_id)

data = load_dataset("json", data_files={"train": "quotes.jsonl"})
data = data.map(lambda samples: tokenizer(samples["quote"]), batched=True)


def formatting_func(example):
    return f"Quote: {example['quote']}\\nAuthor: {example['author']}"


trainer = SFTTrainer(
    model=model,
    train_dataset=data["train"],
    args=SFTConfig(
        output_dir="outputs",
        per_device_train_batch_size=1,
        gradient_accumulation_steps=2,
        warmup_steps=2,
        max_steps=3,
        learning_rate=2e-4,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    formatting_func=formatting_func,
)
trainer.train()
print("the first row:", tokenizer.decode(trainer.train_dataset[0]["input_ids"]).replace("\\n", " "))
"""
ANSWERS_ONLY = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.chat_template = open("answers.jinja").read()
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="tickets.jsonl", split="train"),
    args=SFTConfig(
        output_dir="tickets",
        assistant_only_loss=True,
        max_length=64,
        max_steps=4,
        per_device_train_batch_size=1,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
batches = list(trainer.get_train_dataloader())
lost = sum(bool((row == -100).all()) for batch in batches for row in batch["labels"])
print(f"rows that teach nothing: {lost} of {len(trainer.train_dataset)}")
"""
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}"
    "{% if message['role'] == 'assistant' %}"
    "{% generation %}{{ message['content'] + '<|im_end|>' }}{% endgeneration %}"
    "{% else %}{{ message['content'] + '<|im_end|>' }}{% endif %}{{ '\\n' }}{% endfor %}"
)
REPORTS = (
    Report(
        "huggingface/blog#2005",
        "current",
        "the first row: Be yourself",
        r"formatting_func.{0,40}(ignor|never|not (called|used))|(ignor|skip).{0,40}formatting_func",
        {"train.py": FORMATTED, "quotes.jsonl": QUOTES},
        changed(
            FORMATTED,
            ('data = data.map(lambda samples: tokenizer(samples["quote"]), batched=True)\n', ""),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#6025",
        "four",
        "rows that teach nothing: [1-9]",
        r"max_length|truncat|cut",
        {"train.py": ANSWERS_ONLY, "tickets.jsonl": TICKETS, "answers.jinja": TEMPLATE},
        changed(ANSWERS_ONLY, ("max_length=64", "max_length=1024")),
        level="",
    ),
)
