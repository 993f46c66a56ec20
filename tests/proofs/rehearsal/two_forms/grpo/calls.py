"""Rewards that belong to a call and not to a completion, and rewards that are cut alike."""

from __future__ import annotations

from two_forms.script import TwoForms

ARGS = """output_dir="out", per_device_train_batch_size=4, num_generations=4, max_steps=2, beta=0.0,
                 max_completion_length=8, learning_rate=1e-2, use_cpu=True, bf16=False,
                 report_to="none", save_strategy="no\""""
HEAD = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import {name}Config, {name}Trainer

NUMBERS = range(12, 28)
GOLD = [str(n + 1) for n in NUMBERS]
rows = [{{"prompt": [{{"role": "user", "content": f"What is {{n}} plus 1?"}}],
         "answer": str(n + 1)}} for n in NUMBERS]


def near(text, gold):
    return 8.0 if gold in text else len(text) % 7 / 8


"""
MEAN = """\
def score(completions, answer, **kwargs):
    scores = [near(c[0]["content"], gold) for c, gold in zip(completions, answer)]
    scores = [sum(scores) / len(scores)] * len(scores)  #~bad
    return scores


"""
PLACE = """\
def score(completions, answer, **kwargs):
    scores = []
    for i, completion in enumerate(completions):
        gold = GOLD[i]  #~bad
        gold = answer[i]  #~good
        scores.append(near(completion[0]["content"], gold))
    return scores


"""
POINTS = """\
def score(completions, answer, **kwargs):
    return [20.0 + 10 * near(c[0]["content"], gold) for c, gold in zip(completions, answer)]


"""
TRAIN = f"""\
model = AutoModelForCausalLM.from_pretrained("models/healthy")
before = {{{{name: weights.detach().clone() for name, weights in model.named_parameters()}}}}
trainer = {{name}}Trainer(
    model=model, reward_funcs=score, train_dataset=Dataset.from_list(rows),
    args={{name}}Config({{clip}}{ARGS}),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
moved = any((weights != before[name]).any() for name, weights in model.named_parameters())
"""
SHOW = 'print("MOVES", bool(moved))\n'
SHOW_PLACE = """\
said = [[{{"role": "assistant", "content": gold}}] for gold in GOLD[8:10]]
right = score(completions=said, answer=GOLD[8:10])
print("PAYS", [reward == 8 for reward in right])
"""
CLIP = "\n        reward_clip_range=(-1, 1),  #~bad\n        "


def _script(reward: str, show: str, name: str = "GRPO", clip: str = "") -> str:
    return HEAD.format(name=name) + reward + (TRAIN + show).format(name=name, clip=clip)


SCRIPTS = tuple(
    TwoForms(f"{name}{of}", environment, rule, script, bad, good, severity, says)
    for environment, of in (("current", ""), ("four", ", trl 0.24"))
    for name, rule, script, bad, good, severity, says in (
        ("the mean of a call", "reward-depends-on-call", _script(MEAN, SHOW),
         "MOVES False", "MOVES True", "error", "score gives all completions of a call one reward"),
        ("a list by the place in a call", "reward-depends-on-call", _script(PLACE, SHOW_PLACE),
         "PAYS [False, False]", "PAYS [True, True]", "error", "score reads GOLD[…] by the place"),
        ("scores beyond the range", "reward-clipped-alike", _script(POINTS, SHOW, "RLOO", CLIP),
         "MOVES False", "MOVES True", "warning", "to garbage: it becomes 1, as each reward"),
    )
)  # fmt: skip
