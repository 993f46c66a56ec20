"""Rows of KTO in blocks of one label, in two forms: the trainer never shuffles them."""

from __future__ import annotations

from two_forms.script import TwoForms

ARGS = """output_dir="out", per_device_train_batch_size=4, num_train_epochs=1, use_cpu=True,
                 bf16=False, learning_rate=1e-3, logging_steps=1, report_to="none",
                 save_strategy="no\""""
PAIRS = f"""\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer
from trl.data_utils import unpair_preference_dataset  #~good


def said(role, text):
    return [{{"role": role, "content": text}}]


rows = Dataset.from_list([
    {{"prompt": said("user", f"What is {{n}} plus {{n}}?"),
      "chosen": said("assistant", f"It is {{2 * n}}."),
      "rejected": said("assistant", f"No idea about {{n}}.")}}
    for n in range(1, 17)
]).shuffle(seed=1)
rows = unpair_preference_dataset(rows).shuffle(seed=5)  #~good
trainer = KTOTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    args=KTOConfig({ARGS}),
    train_dataset=rows,
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
print("MARGINS", any("rewards/margins" in entry for entry in trainer.state.log_history))
"""
PUT_TOGETHER = f"""\
from datasets import Dataset, concatenate_datasets
from datasets import interleave_datasets  #~good
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

SOURCES = ("mail", "chat", "phone")


def rated(source, label):
    # each source writes what was liked, then what was not
    reply = "With pleasure" if label else "Not now"
    rows = [{{"prompt": f"A {{source}} of customer {{n}}: help me. ",
             "completion": f"{{reply}}, {{n}}.", "label": label}} for n in range(8)]
    return Dataset.from_list(rows)


parts = [rated(source, label) for source in SOURCES for label in (True, False)]
rows = concatenate_datasets(parts)  #~bad
rows = interleave_datasets(parts)  #~good
trainer = KTOTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    args=KTOConfig({ARGS}),
    train_dataset=rows,
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
print("MARGINS", any("rewards/margins" in entry for entry in trainer.state.log_history))
"""
WEIGHTS = f"""\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

rows = Dataset.from_list([{{"prompt": f"What is {{n}}?", "completion": f" It is {{n}}.",
                           "label": n % 6 == 0}} for n in range(48)])
good = sum(rows["label"])
times = (len(rows) - good) / good
weights = {{"desirable_weight": 1.0, "undesirable_weight": times}}  #~bad
weights = {{"desirable_weight": times, "undesirable_weight": 1.0}}  #~good
print("SHARE", round(good * weights["desirable_weight"]
                     / ((len(rows) - good) * weights["undesirable_weight"]), 2))
trainer = KTOTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    args=KTOConfig(max_steps=1, **weights, {ARGS}),
    train_dataset=rows.shuffle(seed=1),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
"""
RULE = "data-labels-in-blocks"
SCRIPTS = tuple(
    TwoForms(name, environment, RULE, script, "MARGINS False", "MARGINS True", "warning", says)
    for name, environment, script, says in (
        ("pairs", "current", PAIRS, "the rows that the trainer makes of the pairs"),
        ("pairs-of-0.24", "four", PAIRS, "16 rows with true, then 16 with false"),
        ("sources", "current", PUT_TOGETHER, "come in 6 blocks of one label: 12 of 12 steps"),
    )
) + tuple(
    TwoForms(f"weights of the larger part, {environment}", environment,
             "kto-weights-enlarge-imbalance", WEIGHTS, "SHARE 0.04", "SHARE 1.0", "warning",
             "8 of 48 rows have label true and weight 1, the others label false and weight 5")
    for environment in ("current", "four")
)  # fmt: skip
