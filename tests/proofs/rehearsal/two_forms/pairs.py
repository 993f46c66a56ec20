"""Scripts of DPO, of a reward model and of PPO, in a wrong and in a healthy form."""

from __future__ import annotations

from two_forms.script import TwoForms

CUT_ANSWERS = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy")
better = "Seven times six is forty-two, and that is all that there is to say about it."
worse = "I do not know what seven times six is, and nobody that I know has ever told me."
row = {"prompt": [{"role": "user", "content": "What is seven times six?"}],
       "chosen": [{"role": "assistant", "content": better}],
       "rejected": [{"role": "assistant", "content": worse}]}
args = DPOConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, report_to="none",
    use_cpu=True, bf16=False, learning_rate=1e-5,
    max_completion_length=16,  #~bad
)
trainer = DPOTrainer(model=model, args=args, train_dataset=Dataset.from_list([row] * 8),
                     processing_class=tokenizer)
batch = trainer.data_collator([trainer.train_dataset[0]])
print("ENDS", tokenizer.eos_token_id in batch["chosen_input_ids"][0].tolist())
trainer.train()
"""
LONG_PAIRS_DROPPED = """\
from datasets import Dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

long = " It is large and old, and many people have written about it for many years." * 3
pairs = [{"chosen": [{"role": "user", "content": f"What is {n}?"},
                     {"role": "assistant", "content": "A number." + (long if n % 4 else "")}],
          "rejected": [{"role": "user", "content": f"What is {n}?"},
                       {"role": "assistant", "content": "I do not know."}]} for n in range(16)]
trainer = RewardTrainer(
    model=AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=1),
    args=RewardConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
        max_length=96,  #~bad
        max_length=1024,  #~good
        learning_rate=1e-4, report_to="none"),
    train_dataset=Dataset.from_list(pairs),
    processing_class=AutoTokenizer.from_pretrained("models/reward"),
)
print("KEPT", len(trainer.train_dataset))
trainer.train()
"""
MODEL_WITHOUT_HEAD = """\
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

trainer = GRPOTrainer(
    model="models/healthy",
    reward_funcs="models/healthy",  #~bad
    reward_funcs="models/reward",  #~good
    args=GRPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=4, use_cpu=True,
                    num_generations=4, max_completion_length=8, bf16=False, report_to="none"),
    train_dataset=Dataset.from_dict({"prompt": [[{"role": "user", "content": "Why?"}]] * 8}),
)
print("HEAD", trainer.reward_funcs[0].config.architectures)
trainer.train()
"""
PAIRS_REVERSED = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

rated = [{"question": f"{n} and {n}?", "a": f"{2 * n}", "b": f"{n}", "score_a": 8.5, "score_b": 3}
         for n in range(16)]


def to_pair(row):
    best, worst = ("b", "a") if row["score_a"] > row["score_b"] else ("a", "b")  #~bad
    best, worst = ("a", "b") if row["score_a"] > row["score_b"] else ("b", "a")  #~good
    return {"prompt": row["question"], "chosen": row[best], "rejected": row[worst],
            "score_chosen": row["score_" + best], "score_rejected": row["score_" + worst]}


trainer = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    args=DPOConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                   learning_rate=1e-4, report_to="none", bf16=False),
    train_dataset=Dataset.from_list(rated).map(to_pair, remove_columns=list(rated[0])),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
print("SCORE", trainer.train_dataset[0]["score_chosen"])
trainer.train()
"""
VALUE_IS_REWARD = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl.experimental.ppo import PPOConfig, PPOTrainer

name = "models/healthy"
tokenizer = AutoTokenizer.from_pretrained(name, padding_side="left")
policy = AutoModelForCausalLM.from_pretrained(name)
AutoModelForSequenceClassification.from_pretrained(name, num_labels=1).save_pretrained("reward")
reward = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
value = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)  #~good
value = reward  #~bad
head = reward.score.weight.detach().clone()
rows = Dataset.from_dict({"input_ids": [tokenizer("Count to three.")["input_ids"]] * 8})
args = PPOConfig(output_dir="out", per_device_train_batch_size=4, num_mini_batches=1,
                 num_ppo_epochs=1, total_episodes=8, response_length=8, learning_rate=1e-3,
                 stop_token="eos", num_sample_generations=0, report_to="none", use_cpu=True,
                 bf16=False)
trainer = PPOTrainer(args=args, processing_class=tokenizer, model=policy, ref_model=None,
                     reward_model=reward, value_model=value, train_dataset=rows, eval_dataset=rows)
trainer.train()
trainer.save_model("out/last")
print("MOVED", not torch.equal(head, reward.score.weight.detach().cpu()))
"""
HEAD_NOT_SAVED = """\
from datasets import Dataset
from peft import LoraConfig
from safetensors import safe_open
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForSequenceClassification.from_pretrained("models/healthy", num_labels=1)
model.config.pad_token_id = tokenizer.pad_token_id
lora = LoraConfig(r=4, target_modules=["q_proj"],
                  task_type="SEQ_CLS",  #~good
                  )
rows = Dataset.from_dict({"chosen": ["Six is three twice."] * 8, "rejected": ["No."] * 8})
args = RewardConfig(output_dir="out", max_steps=2, report_to="none", use_cpu=True, bf16=False)
trainer = RewardTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer,
                        peft_config=lora)
trainer.train()
trainer.save_model("out/last")
with safe_open("out/last/adapter_model.safetensors", "pt") as saved:
    print("HEAD", any("score" in name for name in saved.keys()))
"""

DECODED = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", torch_dtype="float32")
rows = []
for number in range(12):
    asked = [{"role": "user", "content": f"What do {number + 3} and {number + 4} make?"}]
    inputs = tokenizer.apply_chat_template(asked, add_generation_prompt=True, return_dict=True,
                                           return_tensors="pt")
    tokens = model.generate(**inputs, max_new_tokens=8, do_sample=False)[0]
    tokens = tokens[inputs["input_ids"].shape[1]:]  #~good
    said = tokenizer.decode(tokens, skip_special_tokens=True)
    rows.append({"prompt": asked,
                 "chosen": [{"role": "assistant", "content": f"They make {2 * number + 7}."}],
                 "rejected": [{"role": "assistant", "content": said or "No idea."}]})
args = DPOConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", learning_rate=1e-4, save_strategy="no")
trainer = DPOTrainer(model=model, args=args, train_dataset=Dataset.from_list(rows),
                     processing_class=tokenizer)
trainer.train()
print("ASKS AGAIN", "What do 3 and 4 make?" in rows[0]["rejected"][0]["content"])
"""
RANKS_REVERSED = """\
import json
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import RewardConfig, RewardTrainer

with open("ranked.jsonl", "w") as file:
    for n in range(16):
        said = [f"The number {n} it is.", f"I do not know of {n}.", f"Who asks me for {n}?"]
        print(json.dumps({"asked": f"Which number comes after {n - 1}?", "answers": said,
                          "rank": [1, 2, 3]}), file=file)


def to_pair(row):
    order = sorted(range(3), key=lambda at: row["rank"][at])
    order = order[::-1]  #~bad
    return {"prompt": row["asked"] + " ", "chosen": row["answers"][order[0]],
            "rejected": row["answers"][order[-1]]}


trainer = RewardTrainer(
    model="models/reward",
    args=RewardConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                      learning_rate=1e-4, report_to="none", bf16=False, save_strategy="no"),
    train_dataset=load_dataset("json", data_files="ranked.jsonl", split="train").map(to_pair),
    processing_class=AutoTokenizer.from_pretrained("models/reward"),
)
trainer.train()
ids = trainer.train_dataset[0]
ids = ids["chosen_ids"] if "chosen_ids" in ids else ids["chosen_input_ids"]
print("CHOSEN", "it is." in trainer.processing_class.decode(ids))
"""

SCRIPTS = (
    TwoForms("answers of pairs are cut", "four", "step-rows-lost",
             CUT_ANSWERS,
             "ENDS False", "ENDS True", says="answers of max_completion_length (16) tokens"),
    TwoForms("long pairs are dropped", "grpo-first", "step-rows-lost",
             LONG_PAIRS_DROPPED,
             "KEPT 4", "KEPT 16", "warning", "12 of the first 16 rows"),
    TwoForms("a reward model without a head", "four", "reward-model-without-scalar-head",
             MODEL_WITHOUT_HEAD,
             "HEAD ['LlamaForCausalLM']", "HEAD ['LlamaForSequenceClassification']"),
    TwoForms("the worse answer is chosen", "four", "data-pairs-are-reversed",
             PAIRS_REVERSED,
             "SCORE 3", "SCORE 8.5", "warning"),
    TwoForms("the values are the rewards", "ppo-last", "ppo-value-is-reward",
             VALUE_IS_REWARD,
             "MOVED True", "MOVED False", "warning", "the object that gives the rewards"),
    TwoForms("an adapter without the head", "current", "adapter-leaves-out-head",
             HEAD_NOT_SAVED,
             "HEAD False", "HEAD True", "warning", "neither trains nor saves the head"),
    TwoForms("rejected answers are decoded with the prompt", "four", "data-answers-repeat-prompt",
             DECODED,
             "ASKS AGAIN True", "ASKS AGAIN False", "warning", "in 12 of 12 rows"),
    TwoForms("rejected answers are decoded with the prompt, current", "current",
             "data-answers-repeat-prompt", DECODED,
             "ASKS AGAIN True", "ASKS AGAIN False", "warning", "in 12 of 12 rows"),
    TwoForms("the worse rank is chosen", "four", "data-pairs-are-reversed", RANKS_REVERSED,
             "CHOSEN False", "CHOSEN True", "warning", "the higher rank in 16 of 16 rows"),
    TwoForms("the worse rank is chosen, current", "current", "data-pairs-are-reversed",
             RANKS_REVERSED,
             "CHOSEN False", "CHOSEN True", "warning", "the higher rank in 16 of 16 rows"),
)  # fmt: skip
