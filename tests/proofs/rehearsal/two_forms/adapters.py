"""Scripts that use a base model again after an adapter was put into it, in two forms."""

from __future__ import annotations

from two_forms.script import TwoForms

HEAD = """\
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

args = dict(output_dir="out", max_steps=3, per_device_train_batch_size=2, use_cpu=True, bf16=False,
            report_to="none", learning_rate=1e-1, gradient_checkpointing=False, save_strategy="no")
tokenizer = AutoTokenizer.from_pretrained("models/healthy")
base = AutoModelForCausalLM.from_pretrained("models/healthy")
texts = [f"User: What of {n}? Assistant: it is {n}.<|im_end|>" for n in range(16)]
rows = Dataset.from_dict({"text": texts})


def lora(*parts):
    return LoraConfig(r=8, target_modules=list(parts), task_type="CAUSAL_LM")


"""
REFERENCE = f"""{HEAD}\
pairs = Dataset.from_list([{{"prompt": f"User: {{n}}?", "chosen": f" It is {{n}}.",
                            "rejected": " Nobody knows."}} for n in range(16)])
reference = base  #~bad
reference = AutoModelForCausalLM.from_pretrained("models/healthy")  #~good
trainer = DPOTrainer(get_peft_model(base, lora("q_proj")), ref_model=reference,
                     args=DPOConfig(**args), train_dataset=pairs, processing_class=tokenizer)
trainer.train()
print("TRAINED")
"""
SECOND = f"""{HEAD}\
first = SFTTrainer(base, args=SFTConfig(**args), train_dataset=rows,
                   peft_config=lora("q_proj", "k_proj"))
first.train()
first.save_model("first")
base = AutoModelForCausalLM.from_pretrained("models/healthy")  #~good
second = SFTTrainer(base, args=SFTConfig(**args), train_dataset=rows.select(range(8, 16)),
                    peft_config=lora("q_proj"))
print("LEFT", any(weights.any() for name, weights in second.model.named_parameters()
                  if "lora_B" in name))
second.train()
"""
SAVED_LATE = f"""{HEAD}\
from safetensors.torch import load_file

trainers = []
for rank in (8, 8):
    base = AutoModelForCausalLM.from_pretrained("models/healthy")  #~good
    part = rows.select(range(8 * len(trainers), 8 + 8 * len(trainers)))
    trainers.append(SFTTrainer(base, args=SFTConfig(**args), train_dataset=part,
                               peft_config=lora("q_proj")))
    trainers[-1].train()
for number, trainer in enumerate(trainers):
    trainer.save_model(f"out/{{number}}")
one, other = (load_file(f"out/{{number}}/adapter_model.safetensors") for number in (0, 1))
print("ALIKE", all(bool((one[name] == other[name]).all()) for name in one))
"""
COMPARED = f"""{HEAD}\
trainer = SFTTrainer(base, args=SFTConfig(**args), train_dataset=rows,
                     peft_config=lora("q_proj", "v_proj"))
trainer.train()


def answer(model):
    ids = tokenizer("User: What of 3? Assistant:", return_tensors="pt")["input_ids"]
    return model.generate(input_ids=ids, max_new_tokens=8, do_sample=False).tolist()


tuned = answer(trainer.model)
untuned = answer(base)  #~bad
with trainer.model.disable_adapter():  #~good
    untuned = answer(trainer.model)  #~good
print("SAME", tuned == untuned)
"""
DISTANCE = f"""{HEAD}\
import torch


class Near(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        ids = inputs["input_ids"]
        out = model(input_ids=ids, labels=inputs["labels"])
        with torch.no_grad():
            old = base(input_ids=ids).logits
        far = (out.logits - old).pow(2).mean()
        print("FAR", float(far) > 0)
        loss = out.loss + far
        return (loss, out) if return_outputs else loss


model = get_peft_model(base, lora("q_proj"))
base = AutoModelForCausalLM.from_pretrained("models/healthy")  #~good
Near(model, args=SFTConfig(**args), train_dataset=rows).train()
"""
TRAINED = f"""{HEAD}\
import torch
from peft import PeftModel

ids = tokenizer("User: What of 3? Assistant:", return_tensors="pt")["input_ids"]


def scores(model):
    with torch.no_grad():
        return model.eval()(input_ids=ids).logits


untrained = scores(base)
trainer = SFTTrainer(base, args=SFTConfig(**args), train_dataset=rows,
                     peft_config=lora("q_proj", "v_proj"))
trainer.train()
trainer.save_model("adapter")
AGAIN
print("LOST", torch.allclose(untrained, scores(model), atol=1e-3))
"""
INSIDE = """\
model = PeftModel.from_pretrained(trainer.model.base_model, "adapter")  #~bad
model = PeftModel.from_pretrained(trainer.model.unload(), "adapter")  #~good
model = model.merge_and_unload()"""
COVERED = """\
model = get_peft_model(trainer.model, lora("q_proj", "v_proj"))  #~bad
model = get_peft_model(trainer.model.merge_and_unload(), lora("q_proj", "v_proj"))  #~good"""
SCORES = """\
from datasets import Dataset
from peft import LoraConfig, PeftModelForSequenceClassification, get_peft_model
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer


def base():
    return AutoModelForSequenceClassification.from_pretrained(
        "models/healthy", num_labels=1, dtype="float32"
    )


get_peft_model(base(), LoraConfig(task_type="SEQ_CLS")).save_pretrained("first-round")
model = PeftModelForSequenceClassification.from_pretrained(base(), "first-round")  #~bad
model = PeftModelForSequenceClassification.from_pretrained(  #~good
    base(), "first-round", is_trainable=True)  #~good
rows = [{"chosen": f"{n} and {n} is {2 * n}.", "rejected": f"{n} and {n} is {n}."}
        for n in range(16)]
args = RewardConfig(output_dir="out", max_steps=1, per_device_train_batch_size=4, use_cpu=True,
                    bf16=False, report_to="none", save_strategy="no", learning_rate=1e-4)
trainer = RewardTrainer(model=model, args=args, train_dataset=Dataset.from_list(rows),
                        processing_class=AutoTokenizer.from_pretrained("models/healthy"))
before = {name: weight.clone() for name, weight in model.state_dict().items()}
trainer.train()
trainer.save_model("second-round")
print("MOVED", any(not before[name].equal(new) for name, new in model.state_dict().items()))
"""

CLASSIFIES = f"""{HEAD}\
from peft import AutoPeftModelForCausalLM, TaskType

config = LoraConfig(r=8, target_modules=["q_proj"], task_type=TaskType.SEQ_CLS)  #~bad
config = LoraConfig(r=8, target_modules=["q_proj"], task_type=TaskType.CAUSAL_LM)  #~good
trainer = SFTTrainer(base, args=SFTConfig(**args), train_dataset=rows, peft_config=config)
trainer.train()
trainer.save_model("adapter")
try:
    AutoPeftModelForCausalLM.from_pretrained("adapter")
    print("LOADED")
except ValueError as error:
    print(error)
"""

OF_REWARD = (
    SCORES[: SCORES.index("get_peft_model(base")]
    + SCORES[SCORES.index("rows = [") : SCORES.index("args = ")]
    + """\
config = LoraConfig(r=8, target_modules=["q_proj"], task_type="CAUSAL_LM")  #~bad
config = LoraConfig(r=8, target_modules=["q_proj"], task_type="SEQ_CLS")  #~good
args = RewardConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, report_to="none",
                    use_cpu=True, bf16=False)
trainer = RewardTrainer(base(), args=args, train_dataset=Dataset.from_list(rows),
                        peft_config=config,
                        processing_class=AutoTokenizer.from_pretrained("models/healthy"))
trainer.train()
print("TRAINED")
"""
)

SCRIPTS = (
    TwoForms(
        "an adapter of a language model on a reward model", "current", "adapter-of-wrong-task",
        OF_REWARD, "has no attribute 'prepare_inputs_for_generation'", "TRAINED",
        says="task_type is CAUSAL_LM: with it PEFT cannot adapt a reward model",
    ),
    TwoForms(
        "an adapter of a classifier on a language model", "current", "adapter-of-wrong-task",
        CLASSIFIES, "Expected target PEFT class: PeftModelForSequenceClassification", "LOADED",
        severity="warning",
        says="task_type is SEQ_CLS, and SFTTrainer trains a language model",
    ),
    TwoForms(
        "an adapter of a reward model is loaded frozen", "current", "adapter-not-trainable",
        SCORES, "MOVED False", "MOVED True",
        says="PeftModelForSequenceClassification.from_pretrained loads the adapter without",
    ),
    TwoForms(
        "the reference is the base of the adapter", "current", "reference-shares-weights",
        REFERENCE, "'NoneType' object is not subscriptable", "TRAINED",
        says="ref_model has 4 of the weights that are trained",
    ),
    TwoForms(
        "an adapter is left in the base", "current", "adapter-replaced-by-another",
        SECOND, "LEFT True", "LEFT False", says="trained weights of the first stay beside it",
    ),
    TwoForms(
        "an adapter is saved after another", "current", "adapter-replaced-by-another",
        SAVED_LATE, "ALIKE True", "ALIKE False", says="saves the adapter that has replaced",
    ),
    TwoForms(
        "a model is compared with itself", "current", "adapter-compared-with-itself",
        COMPARED, "SAME True", "SAME False", severity="warning",
        says="gives the same tokens to the trained model and to the base model",
    ),
    TwoForms(
        "a distance to the base model", "current", "adapter-compared-with-itself",
        DISTANCE, "FAR False\nFAR False\nFAR False", "FAR True", severity="warning",
        says="it is one model",
    ),
    TwoForms(
        "an adapter is loaded around itself", "current", "adapter-weights-not-loaded",
        TRAINED.replace("AGAIN", INSIDE), "LOST True", "LOST False",
        says="on a model that has an adapter already: none of its 8 weights has a place there",
    ),
    TwoForms(
        "a new adapter covers the trained one", "current", "adapter-replaced-by-another",
        TRAINED.replace("AGAIN", COVERED), "LOST True", "LOST False",
        says="its 4 trained layers have no effect any more",
    ),
)  # fmt: skip
