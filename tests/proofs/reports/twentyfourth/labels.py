"""Threads of a twenty-fourth list: which tokens have a loss, and how the loss is counted."""

from reports.report import PAIRS, Report, changed, rows

ALPACA = rows(*({"instruction": a, "output": b} for a, b in PAIRS))
NO_END = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForCausalLM.from_pretrained("model")


def prompt(sample):
    return f"### Question: {sample['instruction']}\\n### Answer: {sample['output']}"


trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="instructions.jsonl", split="train"),
    formatting_func=prompt,
    args=SFTConfig(
        output_dir="sft",
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
batches = list(trainer.get_train_dataloader())
ends = sum(int((batch["labels"] == tokenizer.eos_token_id).sum()) for batch in batches)
print(f"answers whose end is learnt: {ends} of {len(trainer.train_dataset)}")
"""
FROM_YAML = """\
import sys

import yaml
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

config = yaml.safe_load(open(sys.argv[1] if len(sys.argv) > 1 else "tuning.yaml"))
tokenizer = AutoTokenizer.from_pretrained(config["model_name_or_path"])
model = AutoModelForCausalLM.from_pretrained(config["model_name_or_path"])
dataset = load_dataset("json", data_files=config["training_data_path"], split="train")
collator = DataCollatorForCompletionOnlyLM(
    response_template=config["response_template"], tokenizer=tokenizer
)

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    data_collator=collator,
    args=SFTConfig(
        output_dir=config["output_dir"],
        max_steps=config["max_steps"],
        per_device_train_batch_size=config["per_device_train_batch_size"],
        dataset_text_field=config["dataset_text_field"],
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
kept = sum(int((batch["labels"] != -100).sum()) for batch in trainer.get_train_dataloader())
print("tokens with a loss:", kept)
"""
TUNING = """\
model_name_or_path: model
training_data_path: tweets.jsonl
output_dir: tuned
dataset_text_field: output
response_template: '\\n### Response:'
max_steps: 2
per_device_train_batch_size: 2
"""
PREPARED = rows(
    *({"output": f"### Input: {a}\n### Response: {b}<|im_end|>"} for a, b in PAIRS),
)
DISTILLED = """\
import torch
import torch.nn.functional as F
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

TEMPERATURE, ALPHA = 2.0, 0.1


class LogitsTrainer(SFTTrainer):
    def __init__(self, *args, teacher=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.teacher = teacher.eval()

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        with torch.no_grad():
            teacher_logits = self.teacher(
                input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]
            ).logits
        kd = F.kl_div(
            F.log_softmax(outputs.logits / TEMPERATURE, dim=-1),
            F.softmax(teacher_logits / TEMPERATURE, dim=-1),
            reduction="none",
        ).sum(-1)
        mask = inputs["labels"] != -100
        kd = (kd * mask).sum() / mask.sum() * TEMPERATURE**2
        ce = F.cross_entropy(
            outputs.logits[:, :-1].flatten(0, 1), inputs["labels"][:, 1:].flatten()
        )
        loss = ALPHA * kd + (1 - ALPHA) * ce
        return (loss, outputs) if return_outputs else loss


tokenizer = AutoTokenizer.from_pretrained("model")
student = AutoModelForCausalLM.from_pretrained("model")
teacher = AutoModelForCausalLM.from_pretrained("model")
trainer = LogitsTrainer(
    model=student,
    teacher=teacher,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="distill.jsonl", split="train"),
    args=SFTConfig(
        output_dir="distilled",
        per_device_train_batch_size=1,
        gradient_accumulation_steps=4,
        max_steps=2,
        learning_rate=2e-5,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
batch = trainer._prepare_inputs(next(iter(trainer.get_train_dataloader())))
with torch.no_grad():
    one = trainer.compute_loss(trainer.model, batch).item()
trainer.train()
logged = trainer.state.log_history[0]["loss"]
print(f"a batch has a loss of {one:.1f}, the log of {logged:.1f}")
print("ratio of the two:", round(logged / one))
"""
LABELLED_ROWS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def tokenize(examples):
    texts = [f"{a}\\n{b}" for a, b in zip(examples["instruction"], examples["output"])]
    batch = tokenizer(texts, truncation=True, max_length=256)
    batch["labels"] = [list(ids) for ids in batch["input_ids"]]
    return batch


dataset = load_dataset("json", data_files="corpus.jsonl", split="train")
dataset = dataset.map(tokenize, batched=True, remove_columns=dataset.column_names)
data_collator = DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm=False)

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    data_collator=data_collator,
    args=SFTConfig(
        output_dir="clm",
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/trl#734",
        "grpo-first",
        "answers whose end is learnt: 0 of",
        r"\beos\b|im_end|end of (the|an|its|each) (turn|answer|text)|never (ends|stops)|pad_token",
        {"train.py": NO_END, "instructions.jsonl": ALPACA},
        changed(
            NO_END,
            ("tokenizer.pad_token = tokenizer.eos_token\n", ""),
            ("{sample['output']}\"", "{sample['output']}\" + tokenizer.eos_token"),
        ),
        level="",
    ),
    Report(
        "foundation-model-stack/fms-hf-tuning#492",
        "grpo-first",
        "tokens with a loss: 0\n",
        r"response_template|response template|no targets|labels?.{0,60}(leaves? out|-100|mask)",
        {"train.py": FROM_YAML, "tuning.yaml": TUNING, "tweets.jsonl": PREPARED},
        {"tuning.yaml": TUNING.replace("'\\n### Response:'", '"\\n### Response:"')},
        level="",
    ),
    Report(
        "agokrani/distillKitPlus#5",
        "current",
        "ratio of the two: 4",
        r"gradient_accumulation_steps|num_items_in_batch|accumulat",
        {"train.py": DISTILLED, "distill.jsonl": rows(*({"text": f"{a} {b}"} for a, b in PAIRS))},
        changed(
            DISTILLED,
            (
                "loss = ALPHA * kd + (1 - ALPHA) * ce\n",
                "loss = ALPHA * kd + (1 - ALPHA) * ce\n"
                "        if model.training:\n"
                "            loss = loss / self.args.gradient_accumulation_steps\n",
            ),
            (
                "    one = trainer.compute_loss(trainer.model, batch).item()\n",
                "    one = trainer.compute_loss(trainer.model.eval(), batch).item()\n",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/tokenizers#1284",
        "current",
        "Unable to create tensor|excessive nesting",
        r"DataCollatorForLanguageModeling|collator|labels",
        {"train.py": LABELLED_ROWS, "corpus.jsonl": ALPACA},
        changed(
            LABELLED_ROWS,
            ("DataCollatorForLanguageModeling\n", "DataCollatorForSeq2Seq\n"),
            (
                "DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm=False)",
                "DataCollatorForSeq2Seq(tokenizer=tokenizer)",
            ),
        ),
        level="",
    ),
)
