"""Scripts whose labels, losses or prompts teach something else than is meant, in two forms."""

from __future__ import annotations

from two_forms.script import TwoForms

ARGS = """output_dir="out", per_device_train_batch_size=8, use_cpu=True, bf16=False,
                report_to="none", save_strategy="no", logging_steps=4"""
PADDED = f"""\
from datasets import Dataset
from transformers import (AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments,
                          default_data_collator)

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
rows = Dataset.from_dict({{"text": [f"User: What of {{n}}? It is {{n}}." for n in range(16)]}})


def tokenized(row):
    ids = tokenizer(row["text"], padding="max_length", max_length=48)
    ids["labels"] = ids["input_ids"].copy()  #~bad
    pairs = zip(ids["input_ids"], ids["attention_mask"])  #~good
    ids["labels"] = [token if here else -100 for token, here in pairs]  #~good
    return ids


rows = rows.map(tokenized, remove_columns=["text"])
print("PADDING", rows[0]["labels"].count(tokenizer.pad_token_id) > 1)
trainer = Trainer(AutoModelForCausalLM.from_pretrained("models/healthy"), train_dataset=rows,
                  args=TrainingArguments({ARGS}, max_steps=2), data_collator=default_data_collator)
trainer.train()
"""
MARKED = f"""\
from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

IGNORED = -99  #~bad
IGNORED = -100  #~good
tokenizer = AutoTokenizer.from_pretrained("models/healthy")


def encode(row):
    question = tokenizer(row["question"])["input_ids"]
    answer = tokenizer(row["answer"])["input_ids"] + [tokenizer.eos_token_id]
    return {{"input_ids": question + answer, "labels": [IGNORED] * len(question) + answer}}


rows = Dataset.from_dict({{"question": [f"What of {{n}}?" for n in range(16)],
                          "answer": [f"It is {{n}}." for n in range(16)]}})
rows = rows.map(encode, remove_columns=rows.column_names)
print("MARKED", min(rows[0]["labels"]) != -100)
SFTTrainer("models/healthy", train_dataset=rows, processing_class=tokenizer,
           args=SFTConfig({ARGS}, max_steps=2)).train()
"""
COLLATED = f"""\
from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
texts = [f"User: What of {{n}}? It is {{'very ' * n}}{{n}}." for n in range(16)]


def collate(rows):
    batch = tokenizer([row["text"] for row in rows], padding=True, return_tensors="pt")
    batch["labels"] = batch["input_ids"].clone()
    batch["labels"][batch["attention_mask"] == 0] = -100  #~good
    return batch


batch = collate([{{"text": texts[0]}}, {{"text": texts[-1]}}])
print("PADDING", int((batch["labels"][0] == tokenizer.pad_token_id).sum()) > 1)
trainer = SFTTrainer("models/healthy", train_dataset=Dataset.from_dict({{"text": texts}}),
                     args=SFTConfig({ARGS}, max_steps=2, remove_unused_columns=False,
                                    dataset_kwargs={{"skip_prepare_dataset": True}}),
                     data_collator=collate)
trainer.train()
"""
LOSS = f"""\
import torch
from datasets import Dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("models/reward")
model = AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=1)
rows = Dataset.from_list([{{"chosen": f"What of {{n}}? It is {{n}}, good.",
                           "rejected": f"What of {{n}}? No, {{n}} is bad"}} for n in range(32)])


class Own(RewardTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        ids, mask = inputs["input_ids"], inputs["attention_mask"]
        scores = model(input_ids=ids, attention_mask=mask).logits.squeeze(-1)
        chosen, rejected = scores[0::2], scores[1::2]  #~bad
        chosen, rejected = scores.chunk(2)  #~good
        loss = -torch.nn.functional.logsigmoid(chosen - rejected).mean()
        return (loss, {{"scores": scores}}) if return_outputs else loss


trainer = Own(model, train_dataset=rows, processing_class=tokenizer,
              args=RewardConfig({ARGS}, max_steps=16, learning_rate=1e-3))
trainer.train()
model.eval()


def scored(side):
    batch = tokenizer(rows[side][:], padding=True, return_tensors="pt")
    with torch.no_grad():
        return model(**batch).logits


print("LEARNED", float((scored("chosen") > scored("rejected")).float().mean()) > 0.9)
"""
PROMPTS = f"""\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
torch.manual_seed(0)
model = AutoModelForCausalLM.from_pretrained("models/healthy")
SYSTEM = [{{"role": "system", "content": "Be short."}}]
OTHERS = []  #~bad
OTHERS = SYSTEM  #~good


def row(n, system, answer, label):
    return {{"prompt": [*system, {{"role": "user", "content": f"What is {{n}}?"}}],
            "completion": [{{"role": "assistant", "content": answer}}], "label": label}}


def likely():
    prompt = [*SYSTEM, {{"role": "user", "content": "What is 77?"}}]
    text = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)
    start = len(tokenizer(text)["input_ids"])
    ids = tokenizer(text + "Nobody knows.", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        chances = model(ids).logits.log_softmax(-1)[0, start - 1 : -1]
    return float(chances.gather(1, ids[0, start:, None]).sum())


rows = [one for n in range(32) for one in (row(n, SYSTEM, f"It is {{n}}.", True),
                                           row(n, OTHERS, "Nobody knows.", False))]
before = likely()
trainer = KTOTrainer(model, train_dataset=Dataset.from_list(rows), processing_class=tokenizer,
                     args=KTOConfig({ARGS}, max_steps=10, learning_rate=1e-3))
trainer.train()
model.eval()
print("UNLEARNED", likely() < before - 3)
"""

LATE = f"""\
from datasets import Dataset
from transformers import AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
says = lambda role, text: {{"role": role, "content": text}}
talks = [[says("user", f"Name {{n}}."), says("assistant", f"{{word}} it is"), says("user", "Why?"),
          says("assistant", "Nobody knows.")]
         for n, word in enumerate("one two three four five six".split())]
mark = tokenizer("<|im_start|>assistant\\n")["input_ids"]


def build(row):
    ids = tokenizer(tokenizer.apply_chat_template(row["talk"], tokenize=False))["input_ids"]
    labels = [-100] * len(ids)
    for at in range(len(ids)):
        if ids[at : at + len(mark)] == mark:
            begin = at + len(mark) + 1  #~bad
            begin = at + len(mark)  #~good
            end = ids.index(tokenizer.eos_token_id, begin) + 1
            labels[begin:end] = ids[begin:end]
    return {{"input_ids": ids, "labels": labels}}


rows = Dataset.from_dict({{"talk": talks}}).map(build, remove_columns=["talk"])
learned = [token for token in rows[1]["labels"] if token != -100]
print("LEARNED", tokenizer.decode(learned[:9]))
args = SFTConfig({ARGS}, max_steps=2, dataset_kwargs={{"skip_prepare_dataset": True}})
SFTTrainer("models/healthy", args=args, train_dataset=rows, processing_class=tokenizer,
           data_collator=DataCollatorForSeq2Seq(tokenizer)).train()
"""

CLASSES = f"""\
import json

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
with open("drugs.jsonl", "w") as file:
    for n in range(16):
        row = {{"drug": f"compound {{n}}", "inhibits": "no" if n % 3 else "yes"}}
        file.write(json.dumps(row) + "\\n")
PROMPT = ("Instructions: answer the question about the drug. Say yes or no.\\n"
          "Question: does it block the channel of the heart?\\nDrug: {{}}\\nAnswer:")


def build(row):
    prompt, end = PROMPT.format(row["drug"]), f" {{row['inhibits']}}{{tokenizer.eos_token}}"
    return {{"text": prompt + end}}  #~bad
    return {{"prompt": prompt, "completion": end}}  #~good


rows = load_dataset("json", data_files="drugs.jsonl", split="train")
trainer = SFTTrainer("models/healthy", args=SFTConfig({ARGS}, max_steps=2), train_dataset=rows.map(
    build, remove_columns=rows.column_names), processing_class=tokenizer)
trainer.train()
labels = next(iter(trainer.get_train_dataloader()))["labels"][0]
print("LEARNED", int((labels != -100).sum()) > 30)
"""

SCRIPTS = (
    TwoForms(
        "short labels of long texts", "current", "data-labels-are-little-of-texts", CLASSES,
        "LEARNED True", "LEARNED False", severity="warning", says="a label of the column inhibits",
    ),
    TwoForms(
        "a mask that begins one too late", "current", "step-labels-miss-answers", LATE,
        "LEARNED wo it is", "LEARNED two it is", severity="warning", says="one too late",
    ),
    TwoForms(
        "padding has labels", "current", "step-labels-on-padding", PADDED,
        "PADDING True", "PADDING False", says="are padding",
    ),
    TwoForms(
        "labels of -99", "current", "step-labels-are-no-tokens", MARKED,
        "MARKED True", "MARKED False", says="are -99, which is no token",
    ),
    TwoForms(
        "a collator labels padding", "current", "step-labels-on-padding", COLLATED,
        "PADDING True", "PADDING False", says="are padding",
    ),
    TwoForms(
        "a loss takes every second score", "current", "step-loss-prefers-rejected", LOSS,
        "LEARNED False", "LEARNED True", says="it compares scores of other rows",
    ),
    TwoForms(
        "wanted answers alone have a system message", "current", "data-label-shown-by-prompt",
        PROMPTS, "UNLEARNED False", "UNLEARNED True", severity="warning",
        says="with the label true begin with a system message",
    ),
)  # fmt: skip
