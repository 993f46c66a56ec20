"""Answers that hold the question of their prompt, in two forms: the model reads it twice."""

from __future__ import annotations

from two_forms.script import TwoForms

ARGS = """output_dir="out", per_device_train_batch_size=2, max_steps=1, use_cpu=True, bf16=False,
                  learning_rate=1e-3, report_to="none", save_strategy="no\""""
HEAD = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import {trainer}Config, {trainer}Trainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")


def said(role, text):
    return {{"role": role, "content": text}}


"""
TALKS = """\
rows = Dataset.from_list([
    {"prompt": f"What is {n} plus {n}?",
     "chosen": [said("user", f"What is {n} plus {n}?"), said("assistant", f"It is {2 * n}.")],
     "rejected": [said("user", f"What is {n} plus {n}?"), said("assistant", "Who knows?")]}
    for n in range(1, 9)
])
"""
END = f"""\
trainer = {{trainer}}Trainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    args={{trainer}}Config({ARGS}),
    train_dataset=rows,
    processing_class=tokenizer,
)
trainer.train()
first = trainer.train_dataset[0]
whole = first.get("input_ids") or first["prompt_ids"] + first["chosen_ids"]
print("TIMES", tokenizer.decode(whole).count("What is 1 plus 1?"))
"""
SFT = (
    HEAD.format(trainer="SFT")
    + TALKS
    + """

def render(row):
    # the answer keeps the question, because the template wants whole talks
    whole = tokenizer.apply_chat_template(row["chosen"], tokenize=False)
    prompt = row["prompt"]  #~bad
    prompt = tokenizer.apply_chat_template(  #~good
        row["chosen"][:1], tokenize=False, add_generation_prompt=True  #~good
    )  #~good
    whole = whole[len(prompt):]  #~good
    return {"prompt": prompt, "completion": whole}


rows = rows.map(render, remove_columns=["chosen", "rejected"])
"""
    + END.format(trainer="SFT")
)
DPO = (
    HEAD.format(trainer="DPO")
    + """\
def written(number, answer):
    # as the talks of people and assistants are often published
    return f"\\n\\nHuman: What is {number} plus {number}?\\n\\nAssistant: {answer}"


rows = Dataset.from_list([
    {"prompt": f"What is {n} plus {n}?",  #~bad
     "chosen": written(n, f"It is {2 * n}."),  #~bad
     "rejected": written(n, "Who knows?")}  #~bad
    {"prompt": f"\\n\\nHuman: What is {n} plus {n}?\\n\\nAssistant:",  #~good
     "chosen": f" It is {2 * n}.", "rejected": " Who knows?"}  #~good
    for n in range(1, 9)
])
"""
    + END.format(trainer="DPO")
)
SCRIPTS = tuple(
    TwoForms(name, "current", "data-answers-repeat-prompt", script, "TIMES 2", "TIMES 1",
             "warning", says)
    for name, script, says in (
        ("answers-are-whole-talks", SFT, "completion asks the question of its prompt again in 8"),
        ("answers-begin-with-human", DPO, "chosen and rejected ask the question of their prompt"),
    )
)  # fmt: skip
