"""The columns of data sets that many scripts load, and what these hold.

Texts name what a made row puts in: `{prompt}`, `{answer}` and `{other}`, a worse answer. A data set
may change: a column that is not here, and that the script reads, is made by its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Kind = str | tuple[str, ...]
    """One of the words below, a text to fill in, or several texts."""

    Columns = Mapping[str, Kind]

TALK, OLDER_TALK = "talk", "older talk"
"""A question and its answer, as `role` and `content`, or as `from` and `value`."""

ASKED, ANSWERED, REFUSED = "asked", "answered", "refused"
"""A list with one message: the question, the answer, or a worse answer."""

OTHER_TALK = "other talk"
"""A question and a worse answer."""

NUMBER, WHOLE, FLAG = "number", "whole number", "flag"
NUMBERS, WHOLES, FLAGS = "numbers", "whole numbers", "flags"

PICTURE, PICTURES = "picture", "pictures"

P, A, B = "{prompt}", "{answer}", "{other}"
SOLVED = "6 times 7 is <<6*7=42>>42.\n#### 42"
DIALOGUE, WORSE = f"\n\nHuman: {P}\n\nAssistant: {A}", f"\n\nHuman: {P}\n\nAssistant: {B}"

WELL_KNOWN: tuple[tuple[str, Columns], ...] = (
    ("hh-rlhf-trl", {"prompt": ASKED, "chosen": ANSWERED, "rejected": REFUSED}),
    ("full-hh-rlhf|rm-static",
     {"prompt": f"\n\nHuman: {P}\n\nAssistant:", "response": A, "chosen": A, "rejected": B}),
    ("hh-rlhf", {"chosen": DIALOGUE, "rejected": WORSE}),
    ("trl-lib/ultrafeedback_binarized|trl-lib/ultrafeedback-gpt",
     {"chosen": TALK, "rejected": OTHER_TALK, "score_chosen": NUMBER, "score_rejected": NUMBER}),
    ("trl-lib/ultrafeedback-prompt", {"prompt": ASKED}),
    ("ultrafeedback_binarized",
     {"prompt": P, "prompt_id": P, "chosen": TALK, "rejected": OTHER_TALK, "messages": TALK,
      "score_chosen": NUMBER, "score_rejected": NUMBER}),
    ("ultrafeedback-binarized-preferences",
     {"source": "flan", "prompt": P, "chosen": TALK, "chosen-rating": NUMBER,
      "rejected": OTHER_TALK, "rejected-rating": NUMBER}),
    ("capybara-dpo",
     {"prompt": P, "chosen": TALK, "rejected": OTHER_TALK, "rating_chosen": NUMBER,
      "rating_rejected": NUMBER}),
    ("orpo-dpo-mix", {"source": "mix", "chosen": TALK, "rejected": OTHER_TALK, "prompt": P}),
    ("distilabel-intel-orca-dpo",
     {"system": "", "input": P, "chosen": A, "rejected": B, "rating": NUMBERS, "status": "tie"}),
    ("orca_dpo_pairs", {"system": "", "question": P, "chosen": A, "rejected": B}),
    ("truthy-dpo", {"id": P, "system": "", "prompt": P, "chosen": A, "rejected": B}),
    ("kto-mix", {"prompt": ASKED, "completion": ANSWERED, "label": FLAG}),
    ("trl-lib/tldr-preference|summarize_comparisons", {"prompt": P, "chosen": A, "rejected": B}),
    ("openai_summarize_tldr", {"prompt": P, "label": A}),
    ("trl-lib/tldr", {"prompt": f"{P}\n\nTL;DR:", "completion": f" {A}"}),
    ("stack-exchange-paired",
     {"qid": WHOLE, "question": P, "date": "2020/01/01", "response_j": A, "response_k": B}),
    ("pku-saferlhf",
     {"prompt": P, "response_0": A, "response_1": B, "is_response_0_safe": FLAG,
      "is_response_1_safe": FLAG, "better_response_id": WHOLE, "safer_response_id": WHOLE}),
    ("helpsteer",
     {"prompt": P, "response": A, "helpfulness": WHOLE, "correctness": WHOLE, "coherence": WHOLE,
      "complexity": WHOLE, "verbosity": WHOLE}),
    ("trl-lib/math_shepherd", {"prompt": P, "completions": (A, B), "labels": FLAGS}),
    ("gsm8k", {"question": P, "answer": SOLVED}),
    ("deepmath-103k", {"prompt": ASKED, "solution": "42"}),
    ("numinamath", {"problem": P, "solution": "It is $\\boxed{42}$.", "messages": TALK}),
    ("openr1-math",
     {"problem": P, "solution": "It is $\\boxed{42}$.", "answer": "42", "problem_type": "Algebra",
      "source": "olympiads", "uuid": P, "generations": (A, B), "messages": TALK}),
    ("dapo-math-17k-processed", {"prompt": P, "solution": "42", "data_source": "math_dapo"}),
    ("math-500",
     {"problem": P, "solution": "It is $\\boxed{42}$.", "answer": "42", "subject": "Algebra",
      "level": WHOLE, "unique_id": P}),
    ("competition_math|hendrycks_math",
     {"problem": P, "level": "Level 1", "type": "Algebra", "solution": "It is $\\boxed{42}$."}),
    ("gair/lim[or]", {"question": P, "solution": A, "answer": "42"}),
    ("countdown-tasks", {"target": WHOLE, "nums": WHOLES}),
    ("alpaca", {"instruction": P, "input": "", "output": A, "text": f"{P}\n\n{A}"}),
    ("dolly-15k", {"instruction": P, "context": "", "response": A, "category": "open_qa"}),
    ("guanaco-llama2", {"text": f"<s>[INST] {P} [/INST] {A} </s>"}),
    ("guanaco", {"text": f"### Human: {P}### Assistant: {A}"}),
    ("finetome|slimorca|openhermes-2|sharegpt", {"conversations": OLDER_TALK}),
    ("openorca", {"id": P, "system_prompt": "", "question": P, "response": A}),
    ("ultrachat_200k|no_robots", {"prompt": P, "prompt_id": P, "messages": TALK}),
    ("trl-lib/capybara|smoltalk|tulu-3-sft", {"messages": TALK, "source": "mix"}),
    ("imdb", {"text": P, "label": WHOLE}),
    ("wikitext|tinystories|openwebtext|bookcorpus", {"text": A}),
    ("sql-create-context", {"question": P, "context": "CREATE TABLE t (n INTEGER)", "answer": A}),
    ("samsum|dialogsum", {"id": P, "dialogue": P, "summary": A}),
    ("llava-instruct-mix-vsft", {"messages": TALK, "images": PICTURES}),
    ("llava-instruct", {"images": PICTURES, "prompt": ASKED, "completion": ANSWERED}),
    ("rlaif-v|rlhf-v",
     {"images": PICTURES, "prompt": ASKED, "chosen": ANSWERED, "rejected": REFUSED}),
    ("multimodal-open-r1", {"image": PICTURE, "problem": P, "solution": "42"}),
    ("geoqa", {"image": PICTURE, "problem": P, "solution": "42"}),
    ("chartqa", {"image": PICTURE, "query": P, "label": (A,)}),
    ("ultrafeedback.*prompt", {"prompt": ASKED}),
    ("ultrafeedback|preference", {"chosen": TALK, "rejected": OTHER_TALK}),
    ("capybara|ultrachat", {"messages": TALK}),
    ("tldr", {"prompt": P, "completion": A}),
    ("math", {"prompt": ASKED, "solution": "42"}),
)  # fmt: skip
"""Patterns of the names, in lower case; the first that fits counts."""


def well_known(name: str) -> Columns:
    """The columns of a data set by its name; empty where it is not known."""
    lower = name.lower()
    return next((columns for pattern, columns in WELL_KNOWN if re.search(pattern, lower)), {})
