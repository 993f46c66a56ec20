"""What a training begins with: the reference of DPO, the queries of PPO, the lines of an answer."""

from __future__ import annotations

from two_forms.grpo.rewards import grpo
from two_forms.script import TwoForms

REFERENCE = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

BASE, TUNED = "models/healthy", "out/sft"
usual = {"max_steps": 2, "per_device_train_batch_size": 4, "report_to": "none", "use_cpu": True,
         "bf16": False, "logging_steps": 1, "learning_rate": 1e-2}
rows = [{"question": f"What is {n}?", "answer": f"{n} is a number."} for n in range(24)]
tuned = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained(BASE, dtype="float32"),
    args=SFTConfig(output_dir=TUNED, **usual),
    train_dataset=Dataset.from_list([
        {"prompt": [{"role": "user", "content": row["question"]}],
         "completion": [{"role": "assistant", "content": row["answer"]}]} for row in rows]),
)
tuned.train()
tuned.save_model(TUNED)
trainer = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained(TUNED, dtype="float32"),
    ref_model=AutoModelForCausalLM.from_pretrained(BASE, dtype="float32"),  #~bad
    ref_model=AutoModelForCausalLM.from_pretrained(TUNED, dtype="float32"),  #~good
    args=DPOConfig(output_dir="out/dpo", **usual),
    train_dataset=Dataset.from_list([
        {"prompt": [{"role": "user", "content": row["question"]}],
         "chosen": [{"role": "assistant", "content": row["answer"]}],
         "rejected": [{"role": "assistant", "content": "I do not know."}]} for row in rows]),
    processing_class=AutoTokenizer.from_pretrained(BASE),
)
trainer.train()
first = next(entry for entry in trainer.state.log_history if "rewards/chosen" in entry)
print("BEGINS", "AT ITS REFERENCE" if abs(float(first["rewards/chosen"])) < 1e-3 else "ELSEWHERE")
"""
QUERIES = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl.experimental.ppo import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy", padding_side="left")
rows = [{"question": f"What is {n}?", "answer": f"{n} is so."} for n in range(32)]
rows = Dataset.from_list(rows)


def tokenize(row):
    turns = [{"role": "user", "content": row["question"]}]
    turns.append({"role": "assistant", "content": row["answer"]})  #~bad
    text = tokenizer.apply_chat_template(turns, tokenize=False)  #~bad
    more = {"add_generation_prompt": True}  #~good
    text = tokenizer.apply_chat_template(turns, tokenize=False, **more)  #~good
    return {"input_ids": tokenizer(text)["input_ids"]}


rows = rows.map(tokenize, remove_columns=rows.column_names)


def scored():
    return AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=1)


def written():
    return AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32")


args = PPOConfig(output_dir="out", total_episodes=4, per_device_train_batch_size=2,
                 num_mini_batches=1, num_ppo_epochs=1, response_length=8, report_to="none",
                 use_cpu=True, bf16=False, num_sample_generations=0, stop_token="eos",
                 learning_rate=1e-4)
trainer = PPOTrainer(args=args, processing_class=tokenizer, model=written(), ref_model=written(),
                     reward_model=scored(), value_model=scored(), train_dataset=rows,
                     eval_dataset=rows.select(range(4)))
trainer.train()
text = tokenizer.decode(rows[0]["input_ids"]).rstrip()
print("ENDS", "FINISHED" if text.endswith(tokenizer.eos_token) else "OPEN")
"""
LINES = """\
FORM = re.compile(r"<think>.*</think>\\s*<answer>.*</answer>")  #~bad
FORM = re.compile(r"<think>.*</think>\\s*<answer>.*</answer>", re.DOTALL)  #~good


def score(completions, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    texts = [text.replace("\\n<", "<").replace(">\\n", ">") for text in texts]
    return [float(bool(FORM.search(text))) for text in texts]


"""
SHOW_LINES = """said = "<think>First this.\\nThen that.</think><answer>4</answer>"
print("GIVES", score(completions=[[{"role": "assistant", "content": said}]]))"""

BOTH_HALVES = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

rows = Dataset.from_dict({"text": [f"What of {n}? It is {n}." for n in range(8)]})
config = SFTConfig(
    "out", use_cpu=True, max_steps=2, report_to="none", save_strategy="no",
    bf16=True, fp16=True,  #~bad
    bf16=False, fp16=False,  #~good
)
SFTTrainer("models/healthy", args=config, train_dataset=rows).train()
print("TRAINED")
"""
MERGED = """\
import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

BASE = "models/healthy"


def base():
    return AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32)


def merged(folder="merged"):
    model = PeftModel.from_pretrained(base(), "earlier").merge_and_unload()
    model.save_pretrained(folder)
    return folder


# what an earlier stage has left
form = LoraConfig(init_lora_weights=False, target_modules="all-linear", task_type="CAUSAL_LM")
get_peft_model(base(), form).save_pretrained("earlier")
start = merged()
start = BASE  #~bad
rows = [{"prompt": f"What is {n}?", "chosen": f" {n} is a number.", "rejected": " Unknown."}
        for n in range(16)]
trainer = DPOTrainer(
    model=start,
    args=DPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=4, use_cpu=True,
                   bf16=False, report_to="none", save_strategy="no"),
    train_dataset=Dataset.from_list(rows),
    processing_class=AutoTokenizer.from_pretrained(BASE),
)
query = "model.layers.0.self_attn.q_proj.weight"
first, plain = (dict(model.named_parameters())[query].float() for model in (trainer.model, base()))
print("BEGINS WITH THE", "BASE" if torch.allclose(first, plain, atol=1e-3) else "MERGED WEIGHTS")
trainer.train()
"""
SCRIPTS = (
    TwoForms("an adapter is merged and the base is trained", "current",
             "training-ignores-earlier-one", MERGED, "BEGINS WITH THE BASE",
             "BEGINS WITH THE MERGED WEIGHTS", "warning",
             "nothing uses the merged model, which is in merged"),
    TwoForms("two precisions", "current", "argument-two-precisions", BOTH_HALVES,
             "At most one of fp16 and bf16", "TRAINED", says="bf16 and fp16 are both true"),
    TwoForms("a reference before SFT", "current", "training-ignores-earlier-one", REFERENCE,
             "BEGINS ELSEWHERE", "BEGINS AT ITS REFERENCE", "warning",
             "the reference of DPOTrainer at train.py"),
    TwoForms("queries with answers", "ppo-last", "ppo-queries-are-finished", QUERIES,
             "ENDS FINISHED", "ENDS OPEN", "warning", "queries that were looked at end with"),
    TwoForms("a pattern of one line", "current", "reward-misses-lines", grpo(LINES, SHOW_LINES),
             "GIVES [0.0]", "GIVES [1.0]", "warning", "gives nothing if its reasoning has two"),
)  # fmt: skip
