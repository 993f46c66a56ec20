"""Scripts that use a model after its training while its dropout is active, in two forms."""

from __future__ import annotations

from two_forms.script import TwoForms

SCRIPT = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
rows = Dataset.from_dict({"text": [f"User: What of {n}? Assistant: it is {n}.<|im_end|>"
                                   for n in range(16)]})
args = SFTConfig(output_dir="out", max_steps=6, per_device_train_batch_size=4, use_cpu=True,
                 bf16=False, report_to="none", learning_rate=1e-2, save_strategy="no")
MODEL
trainer.train()
model = trainer.model
AFTER


@torch.no_grad()
def loss_of(text):
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    return model(input_ids=ids, labels=ids).loss.item()


first, second = ([ANSWER(text) for text in rows["text"]] for _ in range(2))
print("SAME", first == second)
"""
ADAPTER = """\
from peft import LoraConfig, PeftModel

base = AutoModelForCausalLM.from_pretrained("models/healthy", torch_dtype=torch.float32)
trainer = SFTTrainer(base, args=args, train_dataset=rows, processing_class=tokenizer,
                     peft_config=LoraConfig(r=8, lora_dropout=0.3, target_modules="all-linear",
                                            task_type="CAUSAL_LM"))"""
WHOLE = """\
whole = AutoModelForCausalLM.from_pretrained("models/healthy", torch_dtype=torch.float32,
                                             attention_dropout=0.2)
trainer = SFTTrainer(whole, args=args, train_dataset=rows, processing_class=tokenizer)"""
AT_ONCE = "model.eval()  #~good"
AGAIN = """\
trainer.save_model("kept")
base = AutoModelForCausalLM.from_pretrained("models/healthy", torch_dtype=torch.float32)
model = PeftModel.from_pretrained(base, "kept", is_trainable=True)  #~bad
model = PeftModel.from_pretrained(base, "kept")  #~good"""
GENERATES = """\
def answer_to(text):
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    out = model.generate(input_ids=ids, max_new_tokens=4, do_sample=False, output_scores=True,
                         return_dict_in_generate=True)
    return out.scores[0].tolist()


"""


def _script(model: str, after: str, does: str = "loss_of") -> str:
    script = SCRIPT.replace("MODEL", model).replace("AFTER", after).replace("ANSWER", does)
    more = GENERATES if does == "answer_to" else ""
    return script.replace("first, second", f"{more}first, second")


SCRIPTS = tuple(
    TwoForms(name, environment, "model-used-in-training-mode", script, "SAME False", "SAME True",
             "warning", says)
    for name, environment, script, says in (
        ("losses with dropout", "current", _script(ADAPTER, AT_ONCE),
         "calls the model in training mode: its dropout (lora_dropout 0.3)"),
        ("answers with dropout", "current", _script(ADAPTER, AT_ONCE, "answer_to"),
         "generates in training mode: its dropout (lora_dropout 0.3)"),
        ("an adapter loaded to be trained", "current", _script(ADAPTER, AGAIN),
         "calls the model in training mode: its dropout (lora_dropout 0.3)"),
        ("losses with dropout, four", "four", _script(WHOLE, AT_ONCE),
         "calls the model in training mode: its dropout (attention_dropout 0.2)"),
    )
)  # fmt: skip
