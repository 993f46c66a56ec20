"""Rewards of models that read padded texts: which ones read a score at a pad."""

from __future__ import annotations

import json
from pathlib import Path

from commands import ran
from laid import ROOT, Interpreter

MEASURE = """
import json, sys
sys.path[:0] = [ROOT, "."]
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl_doctor.probes.reward_functions.calls import Sheet
from trl_doctor.probes.reward_functions.padded import of_padding
from trl_doctor.probes.reward_functions.release import Release
from trl_doctor.probes.reward_functions.rows import Case

folder = ROOT + "/fixtures/models/healthy"
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForCausalLM.from_pretrained(folder).eval()
Y, N = 5, 9

@torch.no_grad()
def scores(texts, at_end=False):
    batch = tokenizer(texts, return_tensors="pt", padding=True, padding_side="right")
    logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
    last = [-1] * len(texts) if at_end else batch["attention_mask"].sum(-1) - 1
    return logits[torch.arange(len(texts)), last].float()

def at_pad(completions, **_):
    return scores(completions, at_end=True)[:, Y].tolist()

def at_text(completions, **_):
    both = scores(completions)
    return (both[:, Y] - both[:, N]).tolist()

def best(completions, **_):
    lengths = torch.tensor([float(len(text)) for text in completions])
    return ((lengths == lengths.max()).float() + 0 * scores(completions)[:, Y]).tolist()

def by_longest(completions, **_):
    lengths = torch.tensor([float(len(text)) for text in completions])
    return (scores(completions)[:, Y].sigmoid() * lengths / lengths.max()).tolist()

release = Release(("completions",), True, True, True, True)
sheet = Sheet([{"prompt": "Why?"}], True, release, False, lambda text: tokenizer(text)["input_ids"])
cases = [Case(0, "", "It is so, as they say."), Case(0, "", "No.")]
functions = (at_pad, at_text, best, by_longest)
print(json.dumps({one.__name__: of_padding(one, sheet, cases) for one in functions}))
"""


def test_scores_of_a_pad_and_of_a_comparison(tmp_path: Path, interpreter: Interpreter) -> None:
    (tmp_path / "measure.py").write_text(MEASURE.replace("ROOT", repr(str(ROOT))))
    process = ran(interpreter("current"), "measure.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    told = json.loads(process.stdout.splitlines()[-1])
    assert told == {"at_pad": True, "at_text": False, "best": False, "by_longest": False}
