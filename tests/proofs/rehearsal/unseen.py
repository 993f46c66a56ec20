"""Training scripts of a stranger with one mistake each, and what shows it in a real run.

A line that ends in `#~bad` is in the wrong form only, one with `#~good` in the healthy one.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Unseen:
    """`rule` finds it. The real run of the wrong form shows `bad`, of the healthy one `good`."""

    name: str
    environment: str
    rule: str
    script: str
    bad: str
    good: str
    severity: str = "error"
    says: str = ""
    files: dict[str, str] = field(default_factory=dict)

    def form(self, form: str) -> str:
        """The script in one of its forms, "bad" or "good"."""
        other = "#~good" if form == "bad" else "#~bad"
        lines = [line for line in self.script.splitlines() if not line.endswith(other)]
        return "\n".join(line.removesuffix(f"#~{form}").rstrip() for line in lines) + "\n"


PAIRS = """\
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

TEXTS = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
rows = Dataset.from_dict({"question": ["What is six?"] * 16, "answer": ["Three twice."] * 16})


def to_text(row):
    text = f"### Question: {row['question']}\\n### Answer: {row['answer']}"
    return {"text": text}  #~bad
    return {"text": text + tokenizer.eos_token}  #~good


trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    processing_class=tokenizer,
    train_dataset=rows.map(to_text, remove_columns=rows.column_names),
    args=SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                   dataset_text_field="text", max_seq_length=128, report_to="none"),
)
print("ENDS", trainer.train_dataset[0]["input_ids"][-1] == tokenizer.eos_token_id)
trainer.train()
"""

GRPO = """\
import re
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

rows = [{"question": f"{n} and {n} is?", "answer": f"{n} + {n} = {2 * n}.\\n#### {2 * n}"}
        for n in range(2, 40)]


def build(row):
    return {"prompt": [{"role": "user", "content": row["question"]}], "answer": row["answer"]}


def number(text):
    found = re.findall(r"-?\\d+", text)
    return found[-1] if found else None


dataset = Dataset.from_list(rows).map(build)
REWARD
args = GRPOConfig(output_dir="out", max_steps=2, per_device_train_batch_size=8, num_generations=4,
                  max_completion_length=8, report_to="none", use_cpu=True, bf16=False,
                  learning_rate=1e-6)
trainer = GRPOTrainer(model="models/healthy", reward_funcs=score, args=args, train_dataset=dataset)
SHOW
trainer.train()
print("TRAINED")
"""

FIRST = """\
dataset = dataset.map(lambda row: {"answer": row["answer"].split()[-1]})


def score(completions, answer, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    return [float(number(text) == answer[0]) for text in texts]  #~bad
    return [float(number(text) == right) for text, right in zip(texts, answer)]  #~good

"""

WHOLE = """\
dataset = dataset.map(lambda row: {"answer": row["answer"].split()[-1]})  #~good


def score(completions, answer, **kwargs):
    texts = [completion[0]["content"].strip() for completion in completions]
    return [float(text == right) for text, right in zip(texts, answer)]

"""

LATE = """\
dataset = dataset.map(lambda row: {"answer": row["answer"].split()[-1]})
odd = dataset.select([0]).map(lambda row: {"answer": "1,250"})
dataset = concatenate_datasets([dataset.select(range(30)), odd])


def score(completions, answer, **kwargs):
    truths = [float(right) for right in answer]  #~bad
    truths = [float(right.replace(",", "")) for right in answer]  #~good
    return [float(number(c[0]["content"]) == truth) for c, truth in zip(completions, truths)]

"""

CONSTANT = """\
WORDS = re.compile("[a-z]{2}")


def score(completions, **kwargs):
    return [float(bool(WORDS)) for completion in completions]  #~bad
    return [float(bool(WORDS.search(c[0]["content"]))) for c in completions]  #~good

"""

BY_PLACE = """\
dataset = dataset.map(lambda row: {"answer": row["answer"].split()[-1]})


def score(completions, answer, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    answer = [dataset[place]["answer"] for place in range(len(texts))]  #~bad
    return [float(number(text) == right) for text, right in zip(texts, answer)]

"""

LOOP = """\
score = []
for word in ("qz", "e", "wom"):
    def counted(completions, word=word, **kwargs):  #~good
    def counted(completions, **kwargs):  #~bad
        return [c[0]["content"].count(word) / 100 for c in completions]
    counted.__name__ = f"count_{word}"
    score.append(counted)

"""

THREE = """said = [[{"role": "assistant", "content": "eel"}]]
print("GIVES", [one(completions=said) for one in score])"""
LAST = """said = [[{"role": "assistant", "content": "6"}]]
print("GIVES", score(completions=said, answer=[dataset[1]["answer"]]))"""
TWO = """said = [[{"role": "assistant", "content": text}] for text in ("4", "6")]
print("GIVES", score(completions=said, answer=["4", "6"]))"""
RIGHT = """said = [[{"role": "assistant", "content": "4"}]]
print("GIVES", score(completions=said, answer=[dataset[0]["answer"]]))"""
WRONG = """said = [[{"role": "assistant", "content": text}] for text in ("three", "3")]
print("GIVES", score(completions=said))"""
LATER = 'args.max_steps, args.output_dir = 20, "later"'

OPTIMIZER = """\
import torch
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, get_cosine_schedule_with_warmup
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype=torch.float32)
lora = LoraConfig(r=8, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
model = get_peft_model(model, lora)  #~good
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
schedule = get_cosine_schedule_with_warmup(optimizer, 2, 6)
talk = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "One, two."}]
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(output_dir="out", max_steps=6, per_device_train_batch_size=2, use_cpu=True,
                   bf16=False, report_to="none"),
    train_dataset=Dataset.from_dict({"messages": [talk] * 12}),
    processing_class=tokenizer,
    peft_config=lora,  #~bad
    optimizers=(optimizer, schedule),
)
trainer.train()
moved = sum(float(weights.detach().abs().sum())
            for name, weights in trainer.model.named_parameters() if "lora_B" in name)
print("MOVED", moved > 0)
"""

SFT = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, get_linear_schedule_with_warmup
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", torch_dtype=torch.float32)
rows = Dataset.from_list([{"messages": [
    {"role": "user", "content": f"What is {n} and {n}?"},
    {"role": "assistant", "content": f"It is {2 * n}."}]} for n in range(32)])
BEFORE
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(output_dir="out", num_train_epochs=3, per_device_train_batch_size=4,
                   logging_steps=4, use_cpu=True, bf16=False, report_to="none"),
    train_dataset=rows,
    processing_class=tokenizer,
    MORE
)
SHOW
"""

EVALUATED = (
    ("BEFORE", "tests = rows.select(range(8))\nrows = rows.select(range(8, 32))  #~good"),
    ("MORE", "eval_dataset=tests,"),
    ("SHOW", "known = [row['input_ids'] for row in trainer.train_dataset]\n"
             "print('IN BOTH', sum(row['input_ids'] in known for row in trainer.eval_dataset))\n"
             "trainer.train()"),
)  # fmt: skip
SCHEDULED = (
    ("BEFORE", "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)\n"
               "steps = len(rows) // 4  #~bad\n"
               "steps = 3 * len(rows) // 4  #~good\n"
               "schedule = get_linear_schedule_with_warmup(optimizer, 2, steps)"),
    ("MORE", "optimizers=(optimizer, schedule),"),
    ("SHOW", "trainer.train()\n"
             "logs = [log for log in trainer.state.log_history if 'loss' in log]\n"
             "rates = [log['learning_rate'] for log in logs]\n"
             "print('IDLE', sum(rate == 0 for rate in rates) > 2)"),
)  # fmt: skip
UNUSED = (
    ("BEFORE", "def to_text(row):\n"
               "    asked, said = (turn['content'] for turn in row['messages'])\n"
               "    return {'text': f'[INST] {asked} [/INST] {said}'}\n\n\n"
               "rows = rows.map(to_text)  #~bad\n"
               "rows = rows.map(to_text, remove_columns=['messages'])  #~good"),
    ("MORE", ""),
    ("SHOW", "print('BEGINS', tokenizer.decode(trainer.train_dataset[0]['input_ids'])[:6])\n"
             "trainer.train()"),
)  # fmt: skip
PRINTED = (
    ("BEFORE", "rows = rows.map(lambda row: {'text': str(row['messages'])}, "
               "remove_columns=['messages'])\n"
               "rows = rows.map(lambda row: {'messages': ast.literal_eval(row['text'])}, "
               "remove_columns=['text'])  #~good"),
    ("MORE", ""),
    ("SHOW", "print('BEGINS', tokenizer.decode(trainer.train_dataset[0]['input_ids'])[:6])\n"
             "trainer.train()"),
)  # fmt: skip
THROWN = (
    ("BEFORE", "rows.filter(lambda row: '1' in row['messages'][0]['content'])  #~bad\n"
               "rows = rows.filter(lambda row: '1' in row['messages'][0]['content'])  #~good"),
    ("MORE", ""),
    ("SHOW", "print('ROWS', len(trainer.train_dataset))\ntrainer.train()"),
)  # fmt: skip
REPEATED = (
    ("BEFORE", "def split(row):\n"
               "    talk = row['messages']\n"
               "    return {'prompt': talk, 'completion': talk[-1:]}  #~bad\n"
               "    return {'prompt': talk[:-1], 'completion': talk[-1:]}  #~good\n\n\n"
               "rows = rows.map(split, remove_columns=['messages'])"),
    ("MORE", ""),
    ("SHOW", "text = tokenizer.decode(trainer.train_dataset[3]['input_ids'])\n"
             "print('TIMES', text.count('It is 6.'))\n"
             "trainer.train()"),
)  # fmt: skip
MASKED = (
    ("BEFORE", "from transformers import DataCollatorForSeq2Seq\n\n\n"
               "def tokenize(row):\n"
               "    talk, end = row['messages'], tokenizer.eos_token\n"
               "    asked = tokenizer(talk[0]['content'])['input_ids']\n"
               "    said = tokenizer(talk[1]['content'] + end)['input_ids']\n"
               "    fill = 64 - len(asked + said)\n"
               "    return {'input_ids': asked + said + [tokenizer.pad_token_id] * fill,\n"
               "            'attention_mask': [1] * len(asked + said) + [0] * fill,\n"
               "            'labels': [-100] * len(asked) + said + [-100] * fill}\n\n\n"
               "rows = rows.map(tokenize, remove_columns=['messages'])"),
    ("MORE", "data_collator=DataCollatorForSeq2Seq(tokenizer),  #~good"),
    ("SHOW", "batch = trainer.data_collator([{name: trainer.train_dataset[0][name] for name in\n"
             "    ('input_ids', 'attention_mask', 'labels')}])\n"
             "learned = [id for id in batch['labels'][0].tolist() if id != -100]\n"
             "print('LEARNED', tokenizer.decode(learned)[:5])\n"
             "trainer.train()"),
)  # fmt: skip
ADDED = (
    ("BEFORE", "tokenizer.add_tokens(['<think>'])"),
    ("MORE", ""),
    ("SHOW", "import os\n"
             "trainer.train()\n"
             "trainer.model.save_pretrained('final')\n"
             "tokenizer.save_pretrained('final')  #~good\n"
             "print('TOKENS', 'tokenizer.json' in os.listdir('final'))"),
)  # fmt: skip
MERGED = (
    ("BEFORE", "from peft import LoraConfig"),
    ("MORE", "peft_config=LoraConfig(r=4, task_type='CAUSAL_LM'),"),
    ("SHOW", "import os\n"
             "trainer.train()\n"
             "merged = trainer.model\n"
             "merged.merge_and_unload()  #~bad\n"
             "merged = merged.merge_and_unload()  #~good\n"
             "merged.save_pretrained('merged')\n"
             "print('WHOLE', 'config.json' in os.listdir('merged'))"),
)  # fmt: skip
FREEZES = (
    ("BEFORE", "for name, weights in model.named_parameters():\n"
               "    if name.startswith('transformer.wte'):  #~bad\n"
               "    if name.startswith('model.embed'):  #~good\n"
               "        weights.requires_grad = False"),
    ("    MORE\n", ""),
    ("SHOW", "layer = model.model.embed_tokens.weight\n"
             "before = layer.detach().clone()\n"
             "trainer.train()\n"
             "print('STAYED', bool((layer == before).all()))"),
)  # fmt: skip
WEIGHTS = (
    "from safetensors.torch import load_file\n"
    "trained = dict(trainer.model.named_parameters())['model.layers.0.mlp.up_proj.weight']\n"
    "saved = load_file('final/model.safetensors')['model.layers.0.mlp.up_proj.weight']\n"
    "print('TRAINED', bool((saved == trained).all()))"
)
ANOTHER = (
    ("    model=model,\n", "    model='models/healthy',  #~bad\n    model=model,  #~good\n"),
    ("BEFORE\n", ""),
    ("    MORE\n", ""),
    ("SHOW", f"trainer.train()\nmodel.save_pretrained('final')\n{WEIGHTS}"),
)
WRAPPED = (
    ("BEFORE", "from peft import LoraConfig"),
    ("MORE", "peft_config=LoraConfig(r=4, task_type='CAUSAL_LM'),"),
    ("SHOW", "trainer.train()\n"
             "model.save_pretrained('final')  #~bad\n"
             "trainer.model.merge_and_unload().save_pretrained('final')  #~good\n"
             "from safetensors.torch import load_file\n"
             "names = load_file('final/model.safetensors')\n"
             "print('LOADS', 'model.layers.0.self_attn.q_proj.weight' in names)"),
)  # fmt: skip
HEADLESS = """\
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
DROPPED = """\
from datasets import Dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

long = " It is large and old, and many people have written about it for many years." * 3
pairs = [{"prompt": [{"role": "user", "content": f"What is {n}?"}],
          "chosen": [{"role": "assistant", "content": "A number." + (long if n % 4 else "")}],
          "rejected": [{"role": "assistant", "content": "I do not know."}]} for n in range(16)]
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
RATED = """\
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


def sft(parts: tuple[tuple[str, str], ...]) -> str:
    """A run of SFT with these parts."""
    script = SFT
    for name, text in parts:
        script = script.replace(name, text)
    return script.replace("import torch\n", "import ast\nimport torch\n", 1)


def grpo(reward: str, show: str) -> str:
    """A run of GRPO with this function, which shows it before it trains."""
    script = GRPO.replace("REWARD\n", reward).replace("SHOW", show)
    return script.replace("import Dataset\n", "import Dataset, concatenate_datasets\n")


VALUES = """\
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

HEAD = """\
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

GROWN = (
    ("BEFORE", "BASE = [{'role': 'system', 'content': 'You count.'}]\n"
               "def talk(row):\n"
               "    turns = BASE  #~bad\n"
               "    turns = list(BASE)  #~good\n"
               "    turns.extend(row['messages'])\n"
               "    return {'messages': list(turns)}\n"
               "rows = Dataset.from_list([talk(row) for row in rows])"),
    ("MORE", ""),
    ("SHOW", "print('TURNS', [len(row['messages']) for row in rows][:3])\ntrainer.train()"),
)  # fmt: skip

FIRST_OF_BATCH = (
    ("BEFORE", "def talks(batch):\n"
               "    first = batch['messages'][0][0]\n"
               "    return {'messages': [[\n"
               "        first,  #~bad\n"
               "        turns[0],  #~good\n"
               "        turns[1]] for turns in batch['messages']]}\n"
               "rows = Dataset.from_dict({'raw': [row['messages'] for row in rows]}).map(\n"
               "    lambda batch: talks({'messages': batch['raw']}), batched=True,\n"
               "    remove_columns='raw')"),
    ("MORE", ""),
    ("SHOW", "print('QUESTIONS', len({row[0]['content'] for row in rows['messages']}))\n"
             "trainer.train()"),
)  # fmt: skip
AGAIN = (
    ("BEFORE", ""),
    ("MORE", ""),
    ("SHOW", "before = trainer.evaluate(trainer.train_dataset)['eval_loss']\n"
             "trainer.train()\n"
             "model = AutoModelForCausalLM.from_pretrained(  #~good\n"
             "    'models/healthy', torch_dtype=torch.float32)  #~good\n"
             "second = SFTTrainer(model=model, args=SFTConfig('b', learning_rate=1e-2,\n"
             "    max_steps=2, use_cpu=True, bf16=False, report_to='none'),\n"
             "    train_dataset=rows, processing_class=tokenizer)\n"
             "now = second.evaluate(second.train_dataset)['eval_loss']\n"
             "print('SAME', abs(before - now) < 1e-4)\n"
             "second.train()"),
)  # fmt: skip
PADDED = (
    ("BEFORE", ""),
    ("MORE", ""),
    ("SHOW", "trainer.train()\n"
             "tokenizer.padding_side = 'right'  #~bad\n"
             "tokenizer.padding_side = 'left'  #~good\n"
             "batch = tokenizer(['What is it?', 'What, please, is three and three?'],\n"
             "                  return_tensors='pt', padding=True)\n"
             "trainer.model.eval()\n"
             "answers = trainer.model.generate(**batch, max_new_tokens=4, do_sample=False)\n"
             "print('AFTER PADDING', bool((batch['attention_mask'][:, -1] == 0).any()))"),
)  # fmt: skip

UNSEEN = (
    Unseen("answers of pairs are cut", "four", "step-rows-lost", PAIRS,
           "ENDS False", "ENDS True", says="answers of max_completion_length (16) tokens"),
    Unseen("texts without an end", "ppo-first", "step-labels-lack-eos", TEXTS,
           "ENDS False", "ENDS True", "warning"),
    Unseen("a reward reads the first row", "current", "reward-of-first-row", grpo(FIRST, TWO),
           "GIVES [1.0, 0.0]", "GIVES [1.0, 1.0]", says="compares every completion with the first"),
    Unseen("a reward wants the solution", "four", "reward-wants-whole-solution",
           grpo(WHOLE, RIGHT), "GIVES [0.0]", "GIVES [1.0]", "warning", "the whole text of the"),
    Unseen("a reward fails on a late row", "grpo-first", "reward-raises", grpo(LATE, LATER),
           "could not convert string to float: '1,250'", "TRAINED", says="raises ValueError"),
    Unseen("a reward tests its pattern", "current", "reward-constant", grpo(CONSTANT, WRONG),
           "GIVES [1.0, 1.0]", "GIVES [1.0, 0.0]", "warning"),
    Unseen("a reward looks its row up", "current", "reward-depends-on-call", grpo(BY_PLACE, LAST),
           "GIVES [0.0]", "GIVES [1.0]", says="another reward at another place of the batch"),
    Unseen("rewards of a loop", "current", "reward-functions-alike", grpo(LOOP, THREE),
           "GIVES [[0.0], [0.0], [0.0]]", "GIVES [[0.0], [0.02], [0.0]]", "warning",
           "count_e gives every completion the same reward as count_qz"),
    Unseen("an optimizer made before the adapter", "current", "step-optimizer-lacks-weights",
           OPTIMIZER, "MOVED False", "MOVED True", says="holds none of the 8 weights"),
    Unseen("rows to evaluate on are learned", "four", "evaluation-of-training-rows",
           sft(EVALUATED), "IN BOTH 8", "IN BOTH 0", "warning", "8 of 8 rows to evaluate on"),
    Unseen("a schedule of one epoch", "grpo-first", "schedule-ends-before-run", sft(SCHEDULED),
           "IDLE True", "IDLE False", "warning", "is 0 in the last 16 of 24 steps"),
    Unseen("texts beside messages", "four", "data-text-unused-beside-messages", sft(UNUSED),
           "BEGINS <|im_s", "BEGINS [INST]", "warning"),
    Unseen("messages as text", "four", "data-messages-are-text", sft(PRINTED),
           "BEGINS [{'rol", "BEGINS <|im_s", "warning"),
    Unseen("a result is thrown away", "four", "data-result-thrown-away", sft(THROWN),
           "ROWS 32", "ROWS 13", "warning"),
    Unseen("the answer is in the prompt", "four", "data-prompt-has-answer", sft(REPEATED),
           "TIMES 2", "TIMES 1", "warning"),
    Unseen("own labels are replaced", "grpo-first", "step-labels-overwritten", sft(MASKED),
           "LEARNED What", "LEARNED It is"),
    Unseen("long pairs are dropped", "grpo-first", "step-rows-lost", DROPPED,
           "KEPT 4", "KEPT 16", "warning", "12 of the first 16 rows"),
    Unseen("a reward model without a head", "four", "reward-model-without-scalar-head", HEADLESS,
           "HEAD ['LlamaForCausalLM']", "HEAD ['LlamaForSequenceClassification']"),
    Unseen("a tokenizer is not saved", "four", "tokenizer-never-saved", sft(ADDED),
           "TOKENS False", "TOKENS True", "warning"),
    Unseen("a merged model is thrown away", "current", "adapter-merge-thrown-away", sft(MERGED),
           "WHOLE False", "WHOLE True", "warning"),
    Unseen("the values are the rewards", "ppo-last", "ppo-value-is-reward", VALUES,
           "MOVED True", "MOVED False", "warning", "the object that gives the rewards"),
    Unseen("rows of the first of a batch", "four", "data-row-depends-on-batch",
           sft(FIRST_OF_BATCH), "QUESTIONS 1", "QUESTIONS 32", "warning",
           "gives messages another value if it gets the row alone"),
    Unseen("two trainings of one model", "current", "training-ignores-earlier-one", sft(AGAIN),
           "SAME False", "SAME True", "warning", "trains the model that SFTTrainer has trained"),
    Unseen("answers after padding", "four", "generation-after-padding", sft(PADDED),
           "AFTER PADDING True", "AFTER PADDING False", "warning", "padded on the right"),
    Unseen("rows that grow", "four", "data-rows-accumulate", sft(GROWN),
           "TURNS [3, 5, 7]", "TURNS [3, 3, 3]", "warning", "begins with the whole row before it"),
    Unseen("an adapter without the head", "current", "adapter-leaves-out-head", HEAD,
           "HEAD False", "HEAD True", "warning", "neither trains nor saves the head"),
    Unseen("another model is saved", "four", "saved-model-is-untrained", sft(ANOTHER),
           "TRAINED False", "TRAINED True", "warning", "weights from before the training"),
    Unseen("a wrapped model is saved", "current", "saved-model-is-untrained", sft(WRAPPED),
           "LOADS False", "LOADS True", "warning", "under names of an adapter"),
    Unseen("weights are not frozen", "four", "model-freezes-nothing", sft(FREEZES),
           "STAYED False", "STAYED True", "warning", "the loop matches no name"),
    Unseen("the worse answer is chosen", "four", "data-pairs-are-reversed", RATED,
           "SCORE 3", "SCORE 8.5", "warning"),
)  # fmt: skip
