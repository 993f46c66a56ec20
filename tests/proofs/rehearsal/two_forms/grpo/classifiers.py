"""Rewards of GRPO that ask a classifier."""

from __future__ import annotations

from two_forms.grpo.rewards import grpo
from two_forms.script import TwoForms

SCORE_ALONE = """\
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
tokenizer.truncation_side = "left"
torch.manual_seed(5)
judge = AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=2,
                                                           ignore_mismatched_sizes=True)
judge.config.id2label, judge.config.label2id = {0: "BAD", 1: "GOOD"}, {"BAD": 0, "GOOD": 1}
judge.config.pad_token_id = tokenizer.pad_token_id
with torch.no_grad():
    judge.score.weight[1] = -judge.score.weight[0]
classify = pipeline("text-classification", model=judge, tokenizer=tokenizer)


def score(completions, **kwargs):
    texts = [completion[0]["content"] + "." for completion in completions]
    results = classify(texts, truncation=True, max_length=64)
    scores = [result["score"] for result in results]  #~bad
    scores = [result["score"] if result["label"] == "GOOD" else 1 - result["score"]  #~good
              for result in results]  #~good
    return scores


"""
SHOW_LOWEST = """said = [[{"role": "assistant", "content": f"{n} {chr(97 + n % 26)}"}]
                        for n in range(64)]
print("LOWEST", "BELOW" if min(score(completions=said)) < 0.5 else "ABOVE")"""

SCRIPTS = (
    TwoForms("a score without its label", "current", "reward-reads-score-without-label",
             grpo(SCORE_ALONE, SHOW_LOWEST),
             "LOWEST ABOVE", "LOWEST BELOW", "warning", "reads the score of a classifier's"),
)  # fmt: skip
