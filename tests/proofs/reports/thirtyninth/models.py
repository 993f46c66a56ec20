"""Threads of a thirty-ninth list: models that do not fit what they are trained for."""

import json

from laid import ROOT

from reports.report import CHOICES, PREFERENCES, PROMPTS, TEXT, Report, changed

HEALTHY = ROOT / "fixtures/models/healthy"
CONFIG = json.loads((HEALTHY / "config.json").read_text())
STAGES = '''\
"""Two stages with LoRA: supervised fine-tuning, then DPO from the adapter of the first."""

from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

COMMON = {"report_to": "none", "save_strategy": "no", "use_cpu": True, "bf16": False}
tokenizer = AutoTokenizer.from_pretrained("model")


def run_sft():
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
        peft_config=LoraConfig(r=8, lora_alpha=64, target_modules=["q_proj", "v_proj", "up_proj"]),
        args=SFTConfig(output_dir="sft", max_steps=4, learning_rate=1e-2, **COMMON),
    )
    trainer.train()
    trainer.save_model("sft")


def run_dpo():
    base = AutoModelForCausalLM.from_pretrained("model")
    model = PeftModel.from_pretrained(base, "sft", is_trainable=True)
    trainer = DPOTrainer(
        model=model,
        ref_model=None,
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
        args=DPOConfig(
            output_dir="dpo", beta=0.1, max_steps=1, logging_steps=1, learning_rate=5e-6, **COMMON
        ),
    )
    trainer.train()
    print("reward before any step:", round(trainer.state.log_history[0]["rewards/chosen"], 4))


run_sft()
run_dpo()
'''
REFERENCE = (
    ('    model = PeftModel.from_pretrained(base, "sft", is_trainable=True)\n',
     '    model = PeftModel.from_pretrained(base, "sft", is_trainable=True, adapter_name="dpo")\n'
     '    model.load_adapter("sft", adapter_name="reference")\n'),
    ("            output_dir=\"dpo\", beta=0.1, max_steps=1, logging_steps=1, learning_rate=5e-6, **COMMON\n",  # noqa: E501
     "            output_dir=\"dpo\", beta=0.1, max_steps=1, logging_steps=1, learning_rate=5e-6,\n"
     "            model_adapter_name=\"dpo\", ref_adapter_name=\"reference\", **COMMON,\n"),
)  # fmt: skip
REWARD = '''\
"""A reward model from the model of the supervised stage."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import RewardConfig, RewardTrainer


def train_rm(sft_path):
    tokenizer = AutoTokenizer.from_pretrained(sft_path)
    model = AutoModelForCausalLM.from_pretrained(sft_path)
    model.config.pad_token_id = tokenizer.pad_token_id
    trainer = RewardTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="choices.jsonl", split="train"),
        args=RewardConfig(
            output_dir="rm",
            max_length=256,
            per_device_train_batch_size=2,
            max_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


train_rm("model")
'''
TOKENS = json.loads((HEALTHY / "tokenizer.json").read_text())
NAMES = list(TOKENS["model"]["vocab"])
TOKENS["model"]["vocab"] = {name: len(NAMES) - 1 - at for at, name in enumerate(NAMES)}
TEACHER = {
    "teacher/config.json": json.dumps({**CONFIG, "hidden_size": 128, "num_hidden_layers": 3}),
    "teacher/tokenizer.json": json.dumps(TOKENS),
    "teacher/tokenizer_config.json": (HEALTHY / "tokenizer_config.json").read_text(),
}
HIDDEN = '''\
"""Distillation of hidden states: the student's are projected to the teacher's."""

import torch
import torch.nn.functional as F
from datasets import load_dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

student_tokenizer = AutoTokenizer.from_pretrained("model")
teacher_tokenizer = AutoTokenizer.from_pretrained("teacher")
student_model = AutoModelForCausalLM.from_pretrained("model")
teacher_model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("teacher"))
adaptation = torch.nn.Linear(student_model.config.hidden_size, teacher_model.config.hidden_size)
read = []


class HiddenTrainer(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs, output_hidden_states=True)
        teacher_inputs = {key: inputs[key] for key in ("input_ids", "attention_mask")}
        read.append(teacher_tokenizer.decode(teacher_inputs["input_ids"][0]))
        with torch.no_grad():
            teacher_outputs = teacher_model(**teacher_inputs, output_hidden_states=True)
        student_hidden = adaptation(outputs.hidden_states[-1].mean(1))
        distillation = F.mse_loss(student_hidden, teacher_outputs.hidden_states[-1].mean(1))
        loss = 0.5 * outputs.loss + 0.5 * distillation
        return (loss, outputs) if return_outputs else loss


trainer = HiddenTrainer(
    model=student_model,
    processing_class=student_tokenizer,
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
    args=SFTConfig(
        output_dir="results",
        max_length=128,
        max_steps=1,
        per_device_train_batch_size=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
texts = load_dataset("json", data_files="texts.jsonl", split="train")["text"]
print("the teacher reads", "a text" if any(t in read[0] for t in texts) else "something else")
'''
OWN = (
    '        teacher_inputs = {key: inputs[key] for key in ("input_ids", "attention_mask")}\n',
    '        texts = student_tokenizer.batch_decode(inputs["input_ids"], skip_special_tokens=True)\n'  # noqa: E501
    '        teacher_inputs = teacher_tokenizer(texts, padding=True, return_tensors="pt")\n',
)
PPO = '''\
"""PPO with a reward that is no model of the library."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")


class LengthReward(torch.nn.Module):
    """A reward for each sequence: it likes short ones."""

    def forward(self, input_ids, attention_mask=None, **kwargs):
        return -attention_mask.sum(1, keepdim=True).float()


def tokenize(row):
    return {"input_ids": tokenizer(row["prompt"])["input_ids"]}


dataset = load_dataset("json", data_files="prompts.jsonl", split="train")
dataset = dataset.map(tokenize, remove_columns=["prompt"])
value_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
trainer = PPOTrainer(
    PPOConfig(
        output_dir="ppo",
        per_device_train_batch_size=2,
        num_mini_batches=1,
        num_sample_generations=0,
        total_episodes=2,
        response_length=8,
        stop_token="eos",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    tokenizer,
    AutoModelForCausalLM.from_pretrained("model"),
    AutoModelForCausalLM.from_pretrained("model"),
    LengthReward(),
    dataset,
    value_model,
    eval_dataset=dataset,
)
trainer.train()
'''
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#8459",
        "grpo-shapes",
        r"reward before any step: -?0\.0*[1-9]",
        r"ref.*(adapter|base model|disabled)|(adapter|base model|disabled).*ref",
        {"train.py": STAGES, "texts.jsonl": TEXT, "pairs.jsonl": PREFERENCES},
        changed(STAGES, *REFERENCE),
    ),
    Report(
        "huggingface/trl#3577",
        "grpo-shapes",
        r"must match the size of tensor b",
        r"SequenceClassification|CausalLM|num_labels|one score",
        {"train.py": REWARD, "choices.jsonl": CHOICES},
        changed(
            REWARD,
            ("import AutoModelForCausalLM,", "import AutoModelForSequenceClassification,"),
            ("AutoModelForCausalLM.from_pretrained(sft_path)",
             "AutoModelForSequenceClassification.from_pretrained(sft_path, num_labels=1)"),
        ),
    ),
    Report(
        "arcee-ai/DistillKit#7",
        "four",
        "the teacher reads something else",
        r"teacher.*(token|vocab)|(token|vocab).*teacher",
        {"train.py": HIDDEN, "texts.jsonl": TEXT, **TEACHER},
        changed(HIDDEN, OWN),
    ),
    Report(
        "huggingface/trl#6040",
        "ppo-first",
        "base_model_prefix",
        r"reward.*(model|module|function)|base_model_prefix",
        {"train.py": PPO, "prompts.jsonl": PROMPTS},
        changed(
            PPO,
            ("    LengthReward(),\n",
             '    AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),\n'),
        ),
    ),
)  # fmt: skip
