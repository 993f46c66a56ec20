"""Scripts whose models and data are on the Hub run to their end where there is no Hub."""

from __future__ import annotations

from pathlib import Path

import pytest
from laid import Interpreter
from rehearsing import findings_by_rule, measured, rehearsal

TEXTS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model = AutoModelForCausalLM.from_pretrained("org/small-llama")
tokenizer = AutoTokenizer.from_pretrained("org/small-llama")


def split(row):
    begin = row["chosen"].rfind(" ")
    return {"prompt": row["chosen"][:begin], "chosen": row["chosen"][begin:],
            "rejected": row["rejected"][begin:]}


rows = load_dataset("NAME", split="train[:10%]").map(split)
trainer = DPOTrainer(model, args=DPOConfig("out", bf16=False), train_dataset=rows,
                     processing_class=tokenizer)
trainer.train()
"""
TALKS = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("org/small-llama")


def text(row):
    turns = row["prompt"] + row["completion"]
    return {"text": " ".join(f"{turn['role']}: {turn['content']}" for turn in turns)}


rows = load_dataset("org/talks", split="train").map(text, remove_columns=["prompt", "completion"])
trainer = SFTTrainer("org/small-llama", args=SFTConfig("out", bf16=False), train_dataset=rows,
                     processing_class=tokenizer)
trainer.train()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        TEXTS.replace("NAME", "Anthropic/hh-rlhf"),
        TEXTS.replace("NAME", "org/dialogues"),
        TALKS,
    ],
    ids=["known to be texts", "taken for talks", "taken for texts"],
)
def test_made_rows_get_the_form_that_the_script_takes(
    script: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(script)
    status, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.py")
    shows = measured(report)
    assert (shows["reached"], shows["failure"]) == ("end", None)
    assert status == 3, "the model's own files could not be examined"
    (target,) = report["targets"]
    assert "org/small-llama is not in the local cache" in str(target["lacking"])


JUDGED = """\
from datasets import load_dataset
from transformers import pipeline
from trl import GRPOConfig, GRPOTrainer

judge = pipeline("text-classification", model="org/distilbert-moods", device=-1)


def score(completions, **kwargs):
    return [RETURNS for mood in judge(completions)]


args = GRPOConfig("out", learning_rate=1e-6, bf16=False, max_completion_length=32)
rows = load_dataset("org/questions", split="train")
trainer = GRPOTrainer("org/small-qwen", reward_funcs=score, args=args, train_dataset=rows)
trainer.train()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("returns", "reached"),
    [
        ("mood['score'] * (1 if mood['label'] == 'GOOD' else -1)", "end"),
        ("{'GOOD': 1.0, 'BAD': 0.0}[mood['label']]", "trainer"),
    ],
    ids=["scores", "names of labels"],
)
def test_a_judge_that_is_not_here_makes_no_error(
    returns: str, reached: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    """Empty completions have tokens for an encoder; the names of its labels are not known."""
    (tmp_path / "train.py").write_text(JUDGED.replace("RETURNS", returns))
    status, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.py")
    assert (status, measured(report)["reached"]) == (3, reached)
    assert findings_by_rule(report) == {}


DOWNLOADED = """\
from datasets import Dataset
from huggingface_hub import snapshot_download
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

FOLDER
judge = AutoModelForSequenceClassification.from_pretrained("org/reward-model")
model = AutoModelForCausalLM.from_pretrained(folder, dtype="float32")
trainer = GRPOTrainer(
    model,
    reward_funcs="org/reward-model",
    args=GRPOConfig("out", learning_rate=1e-6, bf16=False, max_completion_length=32),
    train_dataset=Dataset.from_dict({"prompt": [f"What is {n}?" for n in range(64)]}),
    processing_class=AutoTokenizer.from_pretrained(folder),
)
trainer.train()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder",
    [
        'folder = snapshot_download("org/small-qwen")',
        'folder = "./base"\nsnapshot_download(repo_id="org/small-qwen", local_dir=folder)',
    ],
    ids=["in the cache", "in a folder"],
)
def test_a_model_that_is_downloaded_whole(
    folder: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(DOWNLOADED.replace("FOLDER", folder))
    status, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.py")
    assert (status, measured(report)["reached"]) == (3, "end"), measured(report)
    (target,) = report["targets"]
    assert "org/small-qwen is not in the local cache" in str(target["lacking"])


WORKED = """\
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

STEPS = "We add both numbers step by step. " * 12
rows = Dataset.from_list([
    {"prompt": f"What is {n} plus {n}?", "solution": f"{STEPS}The answer is {2 * n}."}
    for n in range(64)
])


def score(completions, solution, **kwargs):
    pairs = zip(completions, solution)
    return [float(text.split("answer is ")[1:] == right.split("answer is ")[1:])
            for text, right in pairs]


args = GRPOConfig("out", max_completion_length=256, report_to="none", bf16=False)
GRPOTrainer("org/small-llama", reward_funcs=score, args=args, train_dataset=rows).train()
"""


@pytest.mark.slow
def test_solutions_are_not_counted_in_the_tokens_of_a_made_model(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    """These are bytes: four of them make a token. `two_forms` has a model that is here."""
    (tmp_path / "train.py").write_text(WORKED)
    _, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.py")
    assert measured(report)["reached"] == "end"
    assert "reward-solutions-do-not-fit" not in findings_by_rule(report)


SLOW = """\
from datasets import Dataset
from transformers import GPT2Tokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = GPT2Tokenizer.from_pretrained("gpt2")
tokenizer.pad_token = tokenizer.eos_token
rows = Dataset.from_dict({"text": [f"One {n} two" for n in range(8)]})
SFTTrainer("gpt2", args=SFTConfig("out", bf16=False), train_dataset=rows,
           processing_class=tokenizer).train()
"""


@pytest.mark.slow
@pytest.mark.environment("grpo-first")
def test_a_class_that_reads_other_files_than_a_replacement_has(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(SLOW)
    _, report = rehearsal(tmp_path, interpreter("grpo-first"), "--offline", "train.py")
    shows = measured(report)
    assert (shows["reached"], shows["failure"]) == ("end", None)


LONG = """\
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

rows = Dataset.from_list([{"prompt": f"{n} is a number. " * 50 + "Is it even?"} for n in range(32)])


def score(completions, **kwargs):
    return [float(len(text) % 7) for text in completions]


args = GRPOConfig("out", report_to="none", bf16=False)
GRPOTrainer("org/small-llama", reward_funcs=score, args=args, train_dataset=rows).train()
"""


@pytest.mark.slow
@pytest.mark.environment("grpo-first")
def test_prompts_are_not_cut_by_the_tokens_of_a_made_model(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    """Some 800 characters are no 512 tokens, which GRPO of trl 0.15.2 keeps by default."""
    (tmp_path / "train.py").write_text(LONG)
    _, report = rehearsal(tmp_path, interpreter("grpo-first"), "--offline", "train.py")
    assert measured(report)["reached"] == "end"
    assert "argument-prompt-limit-cuts-prompts" not in findings_by_rule(report)
