"""What is asked after a training: the model as it was before; and a tokenizer as it was not."""

from __future__ import annotations

from two_forms.script import TwoForms

ADAPTER = """\
import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def losses(adapter=None):
    model = AutoModelForCausalLM.from_pretrained("models/healthy").eval()
    model = PeftModel.from_pretrained(model, adapter) if adapter else model  #~good
    ids = [tokenizer(text, return_tensors="pt")["input_ids"] for text in texts]
    with torch.no_grad():
        return [model(input_ids=one, labels=one).loss.item() for one in ids]


tokenizer = AutoTokenizer.from_pretrained("models/healthy")
texts = [f"What is {n}? It is {n}." for n in range(8)]
before = losses()
args = SFTConfig(output_dir="out", max_steps=4, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, learning_rate=1e-2, report_to="none", save_strategy="no")
trainer = SFTTrainer(model="models/healthy", args=args, processing_class=tokenizer,
                     train_dataset=Dataset.from_dict({"text": texts}),
                     peft_config=LoraConfig(task_type="CAUSAL_LM", target_modules="all-linear"))
trainer.train()
trainer.save_model("tuned")
print("LEARNT", losses("tuned") != before)
"""
WHOLE = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

BASE, TUNED = "models/healthy", "tuned"
tokenizer = AutoTokenizer.from_pretrained(BASE)


def answer(path):
    model = AutoModelForCausalLM.from_pretrained(path).eval()
    ids = tokenizer("What is 5?", return_tensors="pt")
    return model.generate(**ids, do_sample=False, max_new_tokens=12)[0].tolist()


before = answer(BASE)
args = SFTConfig(output_dir="out", max_steps=8, per_device_train_batch_size=4, use_cpu=True,
                 bf16=False, learning_rate=3e-2, report_to="none", save_strategy="no")
texts = [f"What is {n}? It is {n}." for n in range(8)]
trainer = SFTTrainer(model=AutoModelForCausalLM.from_pretrained(BASE, DTYPE="float32"), args=args,
                     processing_class=tokenizer, train_dataset=Dataset.from_dict({"text": texts}))
trainer.train()
trainer.save_model(TUNED)
print("LEARNT", answer(BASE) != before)  #~bad
print("LEARNT", answer(TUNED) != before)  #~good
"""
ALONE = """\
import json
import os
import shutil
from datasets import Dataset
from transformers import AutoTokenizer, PreTrainedTokenizerFast
from tokenizers import Tokenizer
from trl import SFTConfig, SFTTrainer

os.makedirs("alone", exist_ok=True)
with open("models/healthy/tokenizer.json") as file:
    own = json.load(file)
own["pre_tokenizer"]["use_regex"] = False
merges, words = own["model"]["merges"], own["model"]["vocab"]
words["s?"] = words.pop("".join(merges[-1]))
merges[-1] = ["s", "?"]
with open("models/healthy/tokenizer_config.json") as file:
    config = {**json.load(file), "tokenizer_class": "GPT2Tokenizer"}
for name, content in (("tokenizer.json", own), ("tokenizer_config.json", config)):
    with open(f"alone/{name}", "w") as file:
        json.dump(content, file)
tokenizer = AutoTokenizer.from_pretrained("alone")  #~bad
tokenizer = PreTrainedTokenizerFast.from_pretrained("alone")  #~good
rows = Dataset.from_dict({"text": [f"{n} is less? It is {n}." for n in range(8)]})
args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
trainer = SFTTrainer(model="models/healthy", args=args, processing_class=tokenizer,
                     train_dataset=rows)
trainer.train()
text = rows[0]["text"]
print("SAME", Tokenizer.from_file("alone/tokenizer.json").encode(text).ids
      == tokenizer(text)["input_ids"])
"""
MEASURED = """\
import torch
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

texts = [f"What is {n} and 1? It is {n + 1}." for n in range(8)]
held_out = [f"What is {n} and 2? It is {n + 2}." for n in range(8)]
args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, learning_rate=1e-3, report_to="none", save_strategy="no")
trainer = SFTTrainer(model="models/healthy", args=args,
                     train_dataset=Dataset.from_dict({"text": texts}))
trainer.train()
measured = texts  #~bad
measured = held_out  #~good


def accuracy(model, tokenizer):
    found = []
    for text in measured:
        ids = tokenizer(text, return_tensors="pt")["input_ids"].to(model.device)
        with torch.no_grad():
            guessed = model(input_ids=ids).logits.argmax(-1)
        found.append(float((guessed[:, :-1] == ids[:, 1:]).float().mean()))
    return sum(found) / len(found)


accuracy(trainer.model.eval(), trainer.processing_class)
print("SEEN", all(text in texts for text in measured))
"""
ASKS = "evaluation-asks-base-model"
SCRIPTS = (
    *(TwoForms(f"{name} after the training, {environment}", environment, ASKS, script,
               "LEARNT False", "LEARNT True", "warning", "asks the base model after the training")
      for environment, dtype in (("current", "dtype"), ("grpo-shapes", "torch_dtype"))
      for name, script in (("no adapter", ADAPTER),
                           ("the first weights", WHOLE.replace("DTYPE", dtype)))),
    *(TwoForms(f"rows of the training measured, {environment}", environment,
               "evaluation-asks-training-rows", MEASURED, "SEEN True", "SEEN False", "warning",
               "measures the trained model with 8 texts") for environment in ("current", "four")),
    TwoForms("a tokenizer without a model", "current", "tokenizer-rebuilt-by-transformers", ALONE,
             "SAME False", "SAME True", "error", "GPT2Tokenizer splits 8 of 8 texts of the rows"),
)  # fmt: skip
