"""Scripts that set something where nothing reads it: real runs show it, the doctor reports it.

The marks at the ends of lines are those of `two_forms.many`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from laid import Interpreter
from two_forms.many import Script, assert_shown_and_told
from two_forms.script import by_environment

HEAD = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

tok = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy").float()
rows = load_dataset("json", data_files="rows.jsonl", split="train")
"""
ARGS = """output_dir="out", per_device_train_batch_size=2, logging_steps=1, use_cpu=True,
                  bf16=False, report_to="none", save_strategy="no", learning_rate=1e-3"""
TEXTS = f"""{HEAD}
tok.add_tokens(["<think>"])
model.resize_token_embeddings(len(tok))


def render(row):
    text = ""
    for turn in row["turns"]:
        text = f"<think>{{turn['text']}} "  #~bad
        text += f"<think>{{turn['text']}} "  #~good
    return {{"text": text}}


rows = rows.map(render, remove_columns=rows.column_names)
MAX_TOKENS = 60
rows = rows.filter(lambda row: len(row["text"]) <= MAX_TOKENS)  #~bad
rows = rows.filter(lambda row: len(tok(row["text"])["input_ids"]) <= 3 * MAX_TOKENS)  #~good
print("ROWS", len(rows))
args = SFTConfig({ARGS}, max_length=3 * MAX_TOKENS, num_train_epochs=1,
                 warmup_steps=len(rows),  #~bad
                 warmup_steps=0,  #~good
                 )
trainer = SFTTrainer(model=model, args=args, train_dataset=rows,
                     processing_class=tok,  #~good
                     )
ids = trainer.train_dataset[0]["input_ids"]
print("TEXT", trainer.processing_class.decode(ids))
print("NEW TOKEN", tok.convert_tokens_to_ids("<think>") in ids)
trainer.train()
rates = [entry["learning_rate"] for entry in trainer.state.log_history if "learning_rate" in entry]
print("TOP", max(rates) == 1e-3)
"""
TOOLS = f"""{HEAD}
from peft import LoraConfig, PeftModel

named = "{{% if tools %}}Tools: {{{{ tools[0]['name'] }}}}\\n{{% endif %}}"
tok.chat_template = named + tok.chat_template


def convert(row):
    talk = [{{"role": "user", "content": "Add"}}, {{"role": "assistant", "content": "Done"}}]
    return {{"messages": talk}}  #~bad
    return {{"messages": talk, "tools": row["tools"]}}  #~good


rows = rows.map(convert, remove_columns=rows.column_names)
trainer = SFTTrainer(model=model, args=SFTConfig({ARGS}, max_steps=2), train_dataset=rows,
                     processing_class=tok, peft_config=LoraConfig(init_lora_weights=False))
print("ROW", tok.decode(trainer.train_dataset[0]["input_ids"])[:9])
trainer.train()
trainer.save_model("adapter")
base = AutoModelForCausalLM.from_pretrained("models/healthy").float()
merged = PeftModel.from_pretrained(base, "adapter").merge_and_unload()
saved = AutoModelForCausalLM.from_pretrained("models/healthy").float()  #~bad
saved = merged  #~good
saved.save_pretrained("final")
trained = AutoModelForCausalLM.from_pretrained("final").float().state_dict()
start = AutoModelForCausalLM.from_pretrained("models/healthy").float().state_dict()
print("UNTRAINED", all(trained[name].equal(start[name]) for name in start))
"""
LATE = f"""{HEAD}
pairs = rows.map(lambda row: {{"prompt": "Add", "chosen": "Done", "rejected": "No"}},
                 remove_columns=rows.column_names)
args = DPOConfig({ARGS}, max_steps=1,
                 beta=0.5,  #~good
                 )
trainer = DPOTrainer(model=model, args=args, train_dataset=pairs, processing_class=tok)
args.beta = 0.5  #~bad
args.logging_steps = 1
trainer.train()
print("BETA", trainer.beta, args.beta)
"""
TOKENS = f"""{HEAD}
tok.add_tokens(["<think>"])  #~good
model.resize_token_embeddings(len(tok) + 1)


def encode(row):
    prompt = tok("<think>" + row["turns"][0]["text"] + " Say: ")["input_ids"]
    answer = tok(row["turns"][1]["text"])["input_ids"]
    out = len(answer)  #~bad
    out = len(prompt)  #~good
    ids = prompt + answer
    return {{"input_ids": ids, "labels": [-100] * out + ids[out:]}}


rows = rows.map(encode, remove_columns=rows.column_names)
tok.add_tokens(["<think>"])
trainer = SFTTrainer(model=model, args=SFTConfig({ARGS}, max_steps=2), train_dataset=rows,
                     processing_class=tok)
row = trainer.train_dataset[1]
print("NEW TOKEN", tok.convert_tokens_to_ids("<think>") in row["input_ids"])
print("LEARNED", tok.decode([label for label in row["labels"] if label != -100]))
trainer.train()
"""
SLIPS = f"""{HEAD}
rows = rows.filter(lambda row: row["kind"] == "odd" or "prime")  #~bad
rows = rows.filter(lambda row: row["kind"] in ("odd", "prime"))  #~good
print("KEPT", len(rows))
rows = rows.map(lambda row: {{"text": row["turns"][0]["text"]}}, remove_columns=rows.column_names)
for name, weight in model.named_parameters():
    weight.require_grad = "embed" not in name  #~bad
    weight.requires_grad = "embed" not in name  #~good
start = model.model.embed_tokens.weight.detach().clone()
args = SFTConfig({ARGS.replace('"no"', '"steps"')}, save_steps=2, max_steps=2)
trainer = SFTTrainer(model=model, args=args, train_dataset=rows, processing_class=tok)
trainer.train()
print("STAYED", start.equal(model.model.embed_tokens.weight))
args = SFTConfig({ARGS},
                 max_steps=2,  #~bad
                 max_steps=4,  #~good
                 )
trainer = SFTTrainer(model=model, args=args, train_dataset=rows, processing_class=tok)
trainer.train(resume_from_checkpoint="out/checkpoint-2")
rates = [entry["learning_rate"] for entry in trainer.state.log_history if "learning_rate" in entry]
print("LEARNED", any(rates[2:]), rates)
"""
SCRIPTS = (
    Script(
        "texts",
        "current",
        TEXTS,
        (
            ("ROWS 10", "ROWS 20"),
            ("TEXT <think>Yes for 0", "TEXT <think>What is 0"),
            ("NEW TOKEN False", "NEW TOKEN True"),
            ("TOP False", "TOP True"),
        ),
        (
            "script-loop-keeps-last-text",
            "data-limit-counts-characters",
            "argument-steps-count-rows",
            "tokenizer-changes-not-passed",
        ),
    ),
    Script(
        "tools",
        "current",
        TOOLS,
        (("UNTRAINED True", "UNTRAINED False"), ("ROW <|im_star", "ROW Tools: ad")),
        ("data-tools-taken-away", "adapter-merge-thrown-away"),
    ),
    Script(
        "slips",
        "current",
        SLIPS,
        (
            ("KEPT 20", "KEPT 10"),
            ("STAYED False", "STAYED True"),
            ("LEARNED False", "LEARNED True"),
        ),
        ("script-condition-always-true", "parameter-flag-misspelt", "resume-ends-at-once"),
    ),
    *(
        Script(
            f"tokens in {environment}",
            environment,
            TOKENS,
            (
                ("NEW TOKEN False", "NEW TOKEN True"),
                ("LEARNED m may be", "LEARNED Yes or the sum"),
            ),
            ("data-rows-lack-new-tokens", "data-labels-begin-inside-texts"),
        )
        for environment in ("current", "four")
    ),
    *(
        Script(
            f"late in {environment}",
            environment,
            LATE,
            (("BETA 0.1 0.5", "BETA 0.5 0.5"),),
            ("argument-changed-after-trainer",),
        )
        for environment in ("current", "grpo-first")
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("case", by_environment(SCRIPTS))
@pytest.mark.parametrize("form", ("bad", "good"))
def test_the_setting_is_lost_and_the_doctor_says_where(
    case: Script, form: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    names = ("Yes", "the sum of two", "red and blue", "a house with ten rooms", "six boys")
    rows = [
        {
            "turns": [
                {"text": f"What is {number} and which of them may be {names[number % 3]}?"},
                {"text": f"{' or '.join(names[: 1 + number % 5])} for {number**3} years."},
            ],
            "tools": [{"name": "add"}],
            "kind": ("even", "odd")[number % 2],
        }
        for number in range(20)
    ]
    python = interpreter(case.environment)
    assert_shown_and_told(case, form, python, tmp_path, {"rows.jsonl": rows})
