"""Threads of TRL's own tracker, drawn with a seed: arguments of SFT, and a name that is gone.

The words of the modules fourteenth* were written down before the first result: ten trainers and 87
nouns (arguments, classes, columns, kinds of token), of which random.Random("dunlin") drew 160 pairs
of a trainer with a noun, and random.Random("dunlin 2") 80 pairs of two nouns. 25 searches of the
first list were made, in four forms, and 30 of the second; left out in between are pairs that TRL
does not combine, and those with vLLM or the hub. They gave trl#4066, #2515, #6506, #6087 and
#4481, a look-up of another's cause gave #3665; nearly all else was here already or a pull request
without a failing run. So the rest was drawn otherwise: the titles of TRL's commits since June 2024
that say fix, raise, crash, bug, error, incorrect or wrong, without documents, tests, examples, GPUs
and vLLM, are 346. They were shuffled by random.Random("dunlin"), read to the end, and some 30 were
looked at in TRL's source. Taken are those whose cause can be in a user's script, that fail in an
environment here, and that no module has; more may be in the list, the hour ended. Their numbers are
those of the pull requests, and so is trl#6087; the others are issues.

Left out, of the searches: no known cause: trl#3443, #3980, #5608; several processes: #3181; a model
that sees images, or runs under vLLM: #3569, #3847, #5663, #5785; the same as one here: #4451; a
figure of the log: #5352; a wish: #3539, #6165. Of the commits: it does not fail in the releases
here: #3598, #3634, #3998, #5151, #6310, #6370; no script has the cause: #2450, #2648, #2945, #3337,
#5620, #6433; wandb: #3377; quantised weights: #6312.
"""

from dataclasses import replace

from reports.fourteenth import groups, online, preferences, texts
from reports.report import CHATS, COMPLETIONS, PAIRS, Report, changed, rows

NOTEBOOK = """\
# Import necessary libraries
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer, setup_chat_format

device = "cuda" if torch.cuda.is_available() else "cpu"

model_name = "model"
model = AutoModelForCausalLM.from_pretrained(pretrained_model_name_or_path=model_name).to(device)
tokenizer = AutoTokenizer.from_pretrained(pretrained_model_name_or_path=model_name)

# Set up the chat format
model, tokenizer = setup_chat_format(model=model, tokenizer=tokenizer)

finetune_name = "Mistral-FT-MyDataset"
ds = load_dataset("json", data_files="chats.jsonl", split="train")
sft_config = SFTConfig(
    output_dir=f"./{finetune_name}",
    max_steps=1,
    per_device_train_batch_size=2,
    learning_rate=5e-5,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(model=model, args=sft_config, train_dataset=ds, processing_class=tokenizer)
trainer.train()
"""
FORMATTED = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="train.jsonl", split="train")


def formatting_func(example):
    return f"### Question: {example['prompt']}\\n### Answer: {example['completion']}"


training_args = SFTConfig(
    output_dir="opt-125m-sft",
    completion_only_loss=True,
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=2e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    "model",
    train_dataset=dataset,
    args=training_args,
    formatting_func=formatting_func,
)
trainer.train()
"""
TRANSFORMED = """\
import random

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

STYLES = ("Q: {q}\\nA: {a}", "Question: {q}\\nAnswer: {a}", "{q}\\n{a}")


def augment(batch):
    # another style each time that a row is read
    texts = [random.choice(STYLES).format(q=q, a=a) for q, a in zip(batch["q"], batch["a"])]
    return {"text": texts}


train = load_dataset("json", data_files="pairs.jsonl", split="train").with_transform(augment)
trainer = SFTTrainer(
    model="model",
    args=SFTConfig(
        output_dir="sft-augmented",
        num_train_epochs=2,
        per_device_train_batch_size=2,
        learning_rate=2e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=train,
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()
"""
QUESTIONS = rows(*({"q": asked, "a": answer} for asked, answer in PAIRS))
THREADS = (
    Report(
        "huggingface/trl#6506",
        "current",
        "cannot import name 'setup_chat_format'",
        "setup_chat_format",
        {"train.py": NOTEBOOK, "chats.jsonl": CHATS},
        changed(
            NOTEBOOK,
            ("SFTTrainer, setup_chat_format", "SFTTrainer"),
            ("# Set up the chat format\n", ""),
            ("model, tokenizer = setup_chat_format(model=model, tokenizer=tokenizer)\n", ""),
        ),
    ),
    Report(
        "huggingface/trl#3385",
        "grpo-shapes",
        "`completion_only_loss=True`, which is incompatible",
        "(formatting_func|formatting function).*completion_only_loss"
        "|completion_only_loss.*(formatting_func|formatting function)",
        {"train.py": FORMATTED, "train.jsonl": COMPLETIONS},
        changed(FORMATTED, ("completion_only_loss=True", "completion_only_loss=False")),
    ),
    Report(
        "huggingface/trl#6054",
        "current",
        "cannot prepare a dataset that uses `Dataset.with_transform",
        "with_transform|set_transform",
        {"train.py": TRANSFORMED, "pairs.jsonl": QUESTIONS},
        changed(TRANSFORMED, (".with_transform(augment)", ".map(augment, batched=True)")),
    ),
)
REPORTS = tuple(
    replace(report, group="fourteenth")
    for report in (*THREADS, *groups.REPORTS, *online.REPORTS, *preferences.REPORTS, *texts.REPORTS)
)
