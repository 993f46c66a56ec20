"""Where the prompts of a trainer that generates end."""

from __future__ import annotations

from two_forms.grpo.rewards import grpo
from two_forms.script import TwoForms
from two_forms.starts import QUERIES

RENDERED = """\
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")


def render(row):
    talk = row["prompt"]
    more = {}  #~bad
    more = {"add_generation_prompt": True}  #~good
    return {"prompt": tokenizer.apply_chat_template(talk, tokenize=False, **more)}


dataset = dataset.map(render)


def score(prompts, completions, **kwargs):
    print("BEGUN", prompts[0].rstrip().endswith("assistant"))
    return [-abs(len(text) - 20.0) for text in completions]


"""
ANSWERED = """\
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")


def render(row):
    talk = row["prompt"] + [{"role": "assistant", "content": row["answer"]}]
    talk = talk[:1]  #~good
    return {"prompt": tokenizer.apply_chat_template(talk, tokenize=False,
                                                    add_generation_prompt=True)}


dataset = dataset.map(render)


def score(prompts, completions, **kwargs):
    print("ANSWERED", "####" in prompts[0])
    return [-abs(len(text) - 20.0) for text in completions]


"""
WHOLE = """\
def whole(row):
    talk = row["prompt"] + [{"role": "assistant", "content": row["answer"]}]
    talk = talk[:1]  #~good
    return {"prompt": talk, "target": row["answer"].split()[-1]}


dataset = dataset.map(whole)


def score(prompts, completions, **kwargs):
    turns = prompts[0] + completions[0]
    print("ANSWERED", any("####" in turn["content"] for turn in turns))
    return [-abs(len(text[0]["content"]) - 20.0) for text in completions]


"""
AT_END = """\
import torch
from transformers import GenerationConfig
from trl.experimental.ppo.ppo_trainer import generate
queries = [torch.tensor([row["input_ids"]]) for row in rows.select(range(4))]
short = [query[query != tokenizer.pad_token_id][None] for query in queries]
greedy = GenerationConfig(max_new_tokens=1, do_sample=False, pad_token_id=tokenizer.pad_token_id)
model, pad = written().eval(), tokenizer.pad_token_id
pairs = [[generate(model, ids, pad, greedy)[1] for ids in pair] for pair in zip(queries, short)]
print("SAME", all(torch.allclose(one, other, atol=1e-3) for one, other in pairs))
"""
ALONE = "\n".join(line.removesuffix("  #~good") for line in QUERIES.splitlines()
                  if not line.endswith("#~bad")) + "\n"  # fmt: skip
PADDED = (
    ALONE.replace(
        '    return {"input_ids": tokenizer(text)["input_ids"]}\n',
        '    more = {"padding": "max_length", "max_length": 48, "padding_side": "right"}  #~bad\n'
        "    more = {}  #~good\n"
        '    return {"input_ids": tokenizer(text, **more)["input_ids"]}\n',
    )
    + AT_END
)

SCRIPTS = (
    TwoForms("prompts end with the question", "current", "data-prompts-end-in-wrong-turn",
             grpo(RENDERED, ""),
             "BEGUN False", "BEGUN True", "warning", "prompts end with the user's turn, as"),
    TwoForms("prompts have an answer", "current", "data-prompts-end-in-wrong-turn",
             grpo(ANSWERED, ""),
             "ANSWERED True", "ANSWERED False", "warning", "have an answer already and begin"),
    *(TwoForms(f"whole conversations are prompts, {environment}", environment,
               "data-prompt-has-answer", grpo(WHOLE, ""), "ANSWERED True", "ANSWERED False",
               "warning", "an answer of the assistant that has the value of answer in")
      for environment in ("current", "four")),
    TwoForms("queries are padded", "ppo-last", "ppo-queries-are-finished", PADDED,
             "SAME False", "SAME True", "warning", "queries end with padding, as"),
)  # fmt: skip
