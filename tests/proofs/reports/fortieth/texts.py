"""Threads of a fortieth list: which part of a text is read, and which has a label."""

from reports.report import Report, changed, rows

CHOICES = rows(
    *(
        {"text": f"<s>[INST] Please select the right option. Context: {text} Options: (A) six (B) "
                 f"five the right answer: [/INST] {right} </s>"}
        for text, right in (
            ("The sea is calm.", "A"), ("The boat is on time.", "B"),
            ("A week has seven days.", "B"), ("He has six hours.", "A"),
        )
    )
)  # fmt: skip
COLLATOR = '''\
"""Multiple choice: the loss is to be of the option alone."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
response_template = "answer: [/INST]"
response_template_tokenized = tokenizer.encode(response_template, add_special_tokens=False)
collator = DataCollatorForCompletionOnlyLM(
    response_template=response_template_tokenized, tokenizer=tokenizer
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=SFTConfig(
        output_dir="results",
        max_seq_length=512,
        per_device_train_batch_size=4,
        max_steps=1,
        learning_rate=2e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="choices.jsonl", split="train"),
    data_collator=collator,
    processing_class=tokenizer,
)
trainer.train()
labels = next(iter(trainer.get_train_dataloader()))["labels"]
print("tokens with a label:", int((labels != -100).sum()))
'''
INSTRUCTIONS = rows(
    {"instruction": "### Instruction:\nAdd 2 and 3.\n\n### Response:\n", "output": "It is five."},
    {"instruction": "### Instruction:\nName a sea.\n\n### Response:\n", "output": "The North Sea."},
    {"instruction": "### Instruction:\nHow is he?\n\n### Response:\n", "output": "He is at home."},
    {"instruction": "### Instruction:\nCount.\n\n### Response:\n", "output": "One, two, three."},
)
PLATYPUS = '''\
"""Instructions with their outputs, as an article shows it."""

from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="platypus.jsonl", split="train")
trainer = SFTTrainer(
    model="model",
    train_dataset=dataset,
    eval_dataset=dataset,
    args=SFTConfig(
        output_dir="results",
        dataset_text_field="instruction",
        max_length=512,
        per_device_train_batch_size=4,
        max_steps=1,
        learning_rate=2e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
read = [trainer.processing_class.decode(row["input_ids"]) for row in trainer.train_dataset]
print("outputs that are read:", sum(out in text for out, text in zip(dataset["output"], read)))
'''
REPORTS = (
    Report(
        "huggingface/transformers#27733",
        "grpo-first",
        r"tokens with a label: 0\n",
        r"response_template|response template|no (token|label)|labels?.*(-100|mask|none)",
        {"train.py": COLLATOR, "choices.jsonl": CHOICES},
        changed(
            COLLATOR,
            ('tokenizer.encode(response_template, add_special_tokens=False)',
             'tokenizer.encode(f" {response_template}", add_special_tokens=False)'),
        ),
    ),
    Report(
        "discuss.huggingface.co/t/100704",
        "current",
        "outputs that are read: 0",
        r"\boutput\b|dataset_text_field",
        {"train.py": PLATYPUS, "platypus.jsonl": INSTRUCTIONS},
        changed(
            PLATYPUS,
            ('        dataset_text_field="instruction",\n', ""),
            ('split="train")\n', 'split="train")\n'
             'texts = dataset.map(lambda row: {"text": row["instruction"] + row["output"]})\n'
             'texts = texts.select_columns(["text"])\n'),
            ("    train_dataset=dataset,\n    eval_dataset=dataset,\n",
             "    train_dataset=texts,\n    eval_dataset=texts,\n"),
        ),
    ),
)  # fmt: skip
