"""Threads of an eighteenth list: runs with more models than one, and own trainers."""

from reports.report import CHATS, PROMPTS, Report, changed, rows, turn

DISTILLED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GKDConfig, GKDTrainer

torch.manual_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
# The model to optimise
model = AutoModelForCausalLM.from_pretrained("model")
# The teacher is of the same family, but its embedding has more rows
teacher_model = AutoModelForCausalLM.from_pretrained("model")
for weight in teacher_model.parameters():
    weight.data += 0.05 * torch.randn_like(weight)
teacher_model.resize_token_embeddings(384)

training_args = GKDConfig(
    output_dir="gkd-model",
    per_device_train_batch_size=2,
    max_steps=1,
    max_new_tokens=8,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = GKDTrainer(
    model=model,
    teacher_model=teacher_model,
    args=training_args,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="talks.jsonl", split="train"),
)
trainer.train()
"""
ONE_POLICY = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl import RLOOConfig, RLOOTrainer

policy_model_tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
policy_model = AutoModelForCausalLM.from_pretrained("model")
proxy_reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
dataset = load_dataset("json", data_files="prompts.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"input_ids": policy_model_tokenizer(row["prompt"])["input_ids"]},
    remove_columns=dataset.column_names,
)
trainer = RLOOTrainer(
    config=RLOOConfig(
        output_dir="rloo",
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        num_mini_batches=1,
        total_episodes=4,
        rloo_k=2,
        response_length=8,
        num_sample_generations=0,
        stop_token="eos",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    processing_class=policy_model_tokenizer,
    policy=policy_model,
    ref_policy=policy_model,
    reward_model=proxy_reward_model,
    train_dataset=dataset,
    eval_dataset=dataset,
)
trainer.train()
"""
LOGITS = """\
import torch.nn.functional as F
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

config = {"temperature": 2.0, "alpha": 0.5, "max_length": 256}


class LogitsTrainer(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        outputs = model(**inputs)
        teacher_logits = self.teacher_model(**inputs).logits
        student = F.log_softmax(outputs.logits / config["temperature"], dim=-1)
        teacher = F.softmax(teacher_logits / config["temperature"], dim=-1)
        distilled = F.kl_div(student, teacher, reduction="batchmean") / config["max_length"]
        loss = config["alpha"] * distilled + (1 - config["alpha"]) * outputs.loss
        return (loss, outputs) if return_outputs else loss


tokenizer = AutoTokenizer.from_pretrained("model")
trainer = LogitsTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="talks.jsonl", split="train"),
    processing_class=tokenizer,
    args=SFTConfig(
        output_dir="results",
        max_seq_length=config["max_length"],
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=2e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.teacher_model = AutoModelForCausalLM.from_pretrained("model").eval()
trainer.train()
"""
ACCUMULATED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GKDConfig, GKDTrainer

torch.manual_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
teacher = AutoModelForCausalLM.from_pretrained("model")
for weight in teacher.parameters():  # it has learnt something else than the student
    weight.data += 0.05 * torch.randn_like(weight)

trainer = GKDTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    teacher_model=teacher,
    args=GKDConfig(
        output_dir="gkd",
        lmbda=0.0,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=4,
        per_device_eval_batch_size=1,
        max_steps=1,
        logging_steps=1,
        learning_rate=1e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="talks.jsonl", split="train"),
    eval_dataset=load_dataset("json", data_files="talks.jsonl", split="train"),
)
of_rows = trainer.evaluate()["eval_loss"]
trainer.train()
logged = next(entry["loss"] for entry in trainer.state.log_history if "loss" in entry)
print(f"the loss of the step is {logged / of_rows:.0f} times that of its rows")
"""
LONGER = rows(
    *(
        {"messages": [turn("user", f"Count to {n}."), turn("assistant", "One, two. " * n)]}
        for n in range(1, 5)
    )
)
REPORTS = (
    Report(
        "huggingface/trl#3028",
        "grpo-first",
        "stack expects each tensor to be equal size",
        "vocab|embedding",
        {"train.py": DISTILLED, "talks.jsonl": CHATS},
        changed(DISTILLED, ("teacher_model.resize_token_embeddings(384)\n", "")),
        level="",
    ),
    Report(
        "huggingface/trl#2046",
        "ppo-first",
        "cannot be the same object",
        "ref_policy|ref_model|reference",
        {"train.py": ONE_POLICY, "prompts.jsonl": PROMPTS},
        changed(
            ONE_POLICY,
            (
                "proxy_reward_model = ",
                'ref_policy = AutoModelForCausalLM.from_pretrained("model")\nproxy_reward_model = ',
            ),
            ("ref_policy=policy_model", "ref_policy=ref_policy"),
        ),
        level="",
    ),
    Report(
        "arcee-ai/DistillKit#26",
        "grpo-first",
        "unexpected keyword argument 'num_items_in_batch'",
        "num_items_in_batch|compute_loss",
        {"train.py": LOGITS, "talks.jsonl": CHATS},
        changed(
            LOGITS,
            (
                "compute_loss(self, model, inputs, return_outputs=False):",
                "compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#4719",
        "four",
        "the loss of the step is 4 times that of its rows",
        "gradient_accumulation_steps",
        {"train.py": ACCUMULATED, "talks.jsonl": LONGER},
        changed(
            ACCUMULATED,
            (
                "        per_device_train_batch_size=1,\n        gradient_accumulation_steps=4,\n",
                "        per_device_train_batch_size=4,\n        gradient_accumulation_steps=1,\n",
            ),
        ),
        level="",
    ),
)
