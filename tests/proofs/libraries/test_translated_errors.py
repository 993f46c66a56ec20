"""The words of libraries that the doctor translates: real runs say them, and the advice helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import ran
from reports.collection import of_threads
from reports.report import CHATS, TEXT, Report

from trl_doctor.facts.measured.known_errors import known

Interpreter = Callable[[str], Path]
QUICK = (
    "output_dir='out', max_steps=1, per_device_train_batch_size=2, report_to='none', "
    "save_strategy='no', bf16=False, use_cpu=True"
)
HEAD = """\
from datasets import Dataset, load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
"""
LINES = "rows = load_dataset('json', data_files='rows.jsonl', split='train')\n"
PICTURES = "rows = load_dataset('parquet', data_files='rows.parquet', split='train')\n"
LOADED = (
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
)
SFT = HEAD + "from trl import SFTConfig, SFTTrainer\n"
PLAIN = HEAD + "from transformers import Trainer, TrainingArguments\n" + LOADED
TOKENS = "rows = [{'input_ids': [5, 6, 7], 'attention_mask': [1, 1, 1]}] * 4\n"
RAGGED = "rows = [{'input_ids': [5] * n, 'labels': [5] * n} for n in (3, 5, 3, 5)]\n"
MIXED = (
    "rows = Dataset.from_list([{'prompt': 'Count.', 'completion': "
    "[{'role': 'assistant', 'content': 'One.'}]}] * 4)\n"
)
HELD = """\
def put(row):
    told = [{'role': 'assistant', 'content': [{'type': 'text', 'text': 'A colour.'}]}]
    image = {'type': 'image', 'image': 'one.png'} if HOLDS else {'type': 'image'}
    return [{'role': 'user', 'content': [image, {'type': 'text', 'text': 'What?'}]}, *told]
rows = [{'images': row['images'], 'messages': put(row)} for row in rows]
rows = Dataset.from_list(rows)
"""


def trainer(given: str = "", config: str = "") -> str:
    """SFT of the model's folder; later options win."""
    return (
        f"args = SFTConfig(**{{**dict({QUICK}), **dict({config})}})\n"
        f"SFTTrainer(**{{**dict(model='model', args=args, train_dataset=rows), **dict({given})}})"
        ".train()\n"
    )


def plain(given: str = "", config: str = "") -> str:
    """The same with transformers' own trainer."""
    return trainer(f"model=model, {given}", config).replace("SFTConfig", "TrainingArguments") \
        .replace("SFTTrainer", "Trainer")  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A script that ends with an error, a part of the cause, and the script after the advice."""

    name: str
    environment: str
    broken: str
    cause: str
    healthy: str
    rows: str = TEXT
    sees: str = ""


SHORT = "rows.select(range(1))"
EMPTY = """\
import torch
weights = [one for name, one in model.named_parameters(remove_duplicate=False) if '{}' in name]
optimizer = torch.optim.AdamW(weights)
"""
PAD = "data_collator=DataCollatorWithPadding(tokenizer)"
PADS = "from transformers import DataCollatorForSeq2Seq, DataCollatorWithPadding\n"
CAUSAL = "from transformers import DataCollatorForLanguageModeling\n"
LEARNS = "data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False)"
KEEPS = "remove_unused_columns=False"
NO_TEMPLATE = "tokenizer.chat_template = None\n"
TEACHER = (
    HEAD + "from trl import GKDConfig, GKDTrainer\n" + LINES + LOADED
    + "teacher = AutoModelForCausalLM.from_pretrained('model')\n"
    "teacher.resize_token_embeddings(model.get_input_embeddings().num_embeddings + MORE)\n"
    f"args = GKDConfig({QUICK}, max_new_tokens=8)\n"
    "GKDTrainer(model=model, teacher_model=teacher, args=args, processing_class=tokenizer, "
    "train_dataset=rows).train()\n"
)  # fmt: skip
GROUPS = (
    HEAD + "from trl import GRPOConfig, GRPOTrainer\n"
    "rows = Dataset.from_list([{'prompt': 'Count to five.'}] * 4)\n"
    f"args = GRPOConfig({QUICK}, num_generations=2, max_completion_length=4)\n"
    "def length(completions, **kwargs):\n    return [float(len(text)) for text in completions]\n"
    "GRPOTrainer(model='model', reward_funcs=FUNCTIONS, args=args, train_dataset=rows).train()\n"
)  # fmt: skip
VALUED = (
    "from transformers import Trainer, TrainingArguments\n"
    "from trl import AutoModelForCausalLMWithValueHead\n"
    "model = AutoModelForCausalLMWithValueHead.from_pretrained('model')\n"
    "args = TrainingArguments('out', report_to='none', use_cpu=True, save_safetensors=SAFE)\n"
    "Trainer(model=model, args=args).save_model()\n"
)
CASES = (
    Case("processor", "vision", SFT + PICTURES + trainer(
        "processing_class=AutoTokenizer.from_pretrained('model')", "max_length=None"),
        "the trainer has a tokenizer alone", SFT + PICTURES + trainer("", "max_length=None"),
        sees="llava sft"),
    Case("text beside images", "vision", SFT + PICTURES
        + "rows = rows.map(lambda row: {'text': 'What?'}, remove_columns=['messages'])\n"
        + trainer("", "max_length=None"), "`text` is dropped",
        SFT + PICTURES + trainer("", "max_length=None"), sees="llava sft"),
    Case("no template", "current", SFT + LINES + LOADED + NO_TEMPLATE
        + trainer("processing_class=tokenizer"), "has no chat template",
        SFT + LINES + LOADED + trainer("processing_class=tokenizer"), CHATS),
    Case("second template", "grpo-first", SFT + "from trl import setup_chat_format\n" + LOADED
        + "setup_chat_format(model, tokenizer)\n", "for tokenizers without a chat template",
        SFT + "from trl import setup_chat_format\n" + LOADED + NO_TEMPLATE
        + "setup_chat_format(model, tokenizer)\n"),
    Case("causal", "vision-four", HEAD + "AutoModelForCausalLM.from_pretrained('model')\n",
        "has no class for this model type", "from transformers import AutoModelForImageTextToText\n"
        "AutoModelForImageTextToText.from_pretrained('model')\n", sees="llava sft"),
    Case("two vocabularies", "grpo-first", TEACHER.replace("MORE", "64"),
        "vocabularies of teacher and student differ", TEACHER.replace("MORE", "0"), CHATS),
    Case("no labels", "current", PLAIN + TOKENS + plain(), "the rows have no labels",
        PLAIN + CAUSAL + TOKENS + plain(LEARNS)),
    Case("packed evaluation", "ppo-first", SFT + LINES + LOADED + trainer(
        f"eval_dataset={SHORT}", "packing=True, max_seq_length=32, eval_strategy='steps'"),
        "shorter than one packed sequence", SFT + LINES + LOADED + trainer(
        f"eval_dataset={SHORT}",
        "packing=True, max_seq_length=32, eval_strategy='steps', eval_packing=False")),
    Case("held images", "vision", SFT + PICTURES + "HOLDS = True\n" + HELD
        + trainer("", "max_length=None"), "have no placeholder for an image",
        SFT + PICTURES + "HOLDS = False\n" + HELD + trainer("", "max_length=None"),
        sees="llava sft"),
    Case("ragged", "current", PLAIN + RAGGED + plain(), "the collator does not pad them",
        PLAIN + PADS + RAGGED + plain("data_collator=DataCollatorForSeq2Seq(tokenizer)")),
    Case("labels", "current", PLAIN + CAUSAL + RAGGED + plain(LEARNS), "pads only their tokens",
        PLAIN + PADS + RAGGED + plain("data_collator=DataCollatorForSeq2Seq(tokenizer)")),
    Case("no reward", "grpo-shapes", GROUPS.replace("FUNCTIONS", "None"),
        "a reward function is None", GROUPS.replace("FUNCTIONS", "[length]")),
    Case("tied", "grpo-first", VALUED.replace("SAFE", "True"), "two weights of the model are tied",
        VALUED.replace("SAFE", "False")),
    Case("no weights", "current", PLAIN + CAUSAL + TOKENS + EMPTY.format("score")
        + plain(LEARNS + ", optimizers=(optimizer, None)"), "the optimizer is given no weight",
        PLAIN + CAUSAL + TOKENS + EMPTY.format("lm_head")
        + plain(LEARNS + ", optimizers=(optimizer, None)")),
    Case("dropped batch", "current", SFT + LINES + f"rows = {SHORT}\n" + trainer(
        "", "max_steps=-1, num_train_epochs=1, dataloader_drop_last=True"), "no batch is left",
        SFT + LINES + f"rows = {SHORT}\n" + trainer("", "max_steps=-1, num_train_epochs=1")),
    Case("texts in a batch", "current", PLAIN + PADS
        + "rows = [{'input_ids': [5, 6, 7], 'labels': [5, 6, 7], 'text': 'x'}] * 4\n"
        + plain(PAD, KEEPS), "a column that is no token ids", PLAIN + PADS
        + "rows = [{'input_ids': [5, 6, 7], 'labels': [5, 6, 7], 'text': 'x'}] * 4\n"
        + "rows = Dataset.from_list(rows)\n" + plain(PAD)),
    Case("text and messages", "current", SFT + MIXED + trainer(), "a text meets a list",
        SFT + LINES + trainer()),
    Case("no tokens", "current", PLAIN + PADS + LINES + plain(PAD, KEEPS),
        "the rows have no tokens", PLAIN + CAUSAL + LINES
        + "rows = rows.map(lambda row: tokenizer(row['text']), remove_columns=['text'])\n"
        + plain(LEARNS)),
    Case("types", "current", PLAIN + CAUSAL + TOKENS + "import torch\nmodel.float()\n"
        "model.model.layers[0].to(torch.bfloat16)\n" + plain(LEARNS), "weights of one type",
        PLAIN + CAUSAL + TOKENS + "model.float()\n" + plain(LEARNS)),
    Case("bf16", "four", SFT + LINES + trainer("", "bf16=True, use_cpu=False"),
        "bf16 is on, but the device", SFT + LINES + trainer("", "bf16=False, use_cpu=False")),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_words_are_real_and_the_advice_helps(
    case: Case, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(case.environment)
    files = {"train.py": case.broken, "rows.jsonl": case.rows}
    report = Report("", case.environment, "", "", files, {}, sees=case.sees)
    report.lay(tmp_path / "job", healthy=True, python=python)
    died = ran(python, "train.py", cwd=tmp_path / "job")
    translation = known(died.stderr.rpartition("Traceback (most recent call last)")[2])
    assert died.returncode and translation, died.stderr[-700:]
    assert case.cause in translation.cause
    (tmp_path / "job/train.py").write_text(case.healthy)
    process = ran(python, "train.py", cwd=tmp_path / "job")
    assert process.returncode == 0, process.stderr[-700:]


REPORTED = {
    "huggingface/transformers#30104": "is a tuple",
    "huggingface/trl#422": "no pad token id",
    "unslothai/unsloth#6523": "evaluate() is called before train()",
}
"""Threads whose errors are translated; `test_problem_reports` runs their remedies."""


@pytest.mark.slow
@pytest.mark.parametrize("report", of_threads(REPORTED))
def test_the_error_of_a_thread_is_translated(
    report: Report, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(report.environment)
    report.lay(tmp_path / "job", healthy=False, python=python)
    translation = known(ran(python, "train.py", cwd=tmp_path / "job").stderr)
    assert translation and REPORTED[report.thread] in translation.cause
