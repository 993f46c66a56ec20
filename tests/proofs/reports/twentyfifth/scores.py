"""Threads of a twenty-fifth list: scores that are read at a pad, and answers that go on."""

from reports.report import PAIRS, PROMPTS, Report, changed, rows

LAST_TOKEN = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

tokenizer = AutoTokenizer.from_pretrained("reward")


class RewardHead(torch.nn.Module):
    \"\"\"A language model with a head that scores each token; the last one's counts.\"\"\"

    def __init__(self, path):
        super().__init__()
        scorer = AutoModelForSequenceClassification.from_pretrained(
            path, num_labels=1, dtype=torch.float32
        )
        self.lm_backbone, self.scalar_head = scorer.model, scorer.score

    @torch.no_grad()
    def forward(self, **inputs):
        reward = self.scalar_head(self.lm_backbone(**inputs).last_hidden_state)
        return reward[:, -1, 0]


reward_model = RewardHead("reward").eval()


def get_reward(texts):
    inputs = tokenizer(texts, padding=True, return_tensors="pt")
    return reward_model(**inputs).tolist()


def preferred(prompts, completions, **kwargs):
    return get_reward([prompt + completion for prompt, completion in zip(prompts, completions)])


trainer = GRPOTrainer(
    model="model",
    reward_funcs=preferred,
    args=GRPOConfig(
        output_dir="preferred",
        num_generations=2,
        per_device_train_batch_size=2,
        max_completion_length=8,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
)
trainer.train()
text = "Count to five. One."
(alone,) = get_reward([text])
beside, _ = get_reward([text, "Count to five. One, two, three, four, five, and then once more."])
print(f"alone {alone:.4f}, in a batch {beside:.4f}:", end=" ")
print("the same reward" if abs(alone - beside) < 1e-4 else "another reward")
"""
STOPPED = """\
import torch
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    StoppingCriteria,
    StoppingCriteriaList,
    set_seed,
)
from trl import SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")


class KeyWordsCriteria(StoppingCriteria):
    def __init__(self, stop_id_sequences):
        self.stop_sequences = stop_id_sequences

    def __call__(self, input_ids, scores, **kwargs):
        sequences_should_be_stopped = []
        for i in range(input_ids.shape[0]):
            for stop_sequence in self.stop_sequences:
                if input_ids[i][-len(stop_sequence) :].tolist() == stop_sequence:
                    sequences_should_be_stopped.append(True)
                    break
            sequences_should_be_stopped.append(False)
        return all(sequences_should_be_stopped)


trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="few-shot.jsonl", split="train"),
    args=SFTConfig(
        output_dir="tuned",
        max_steps=60,
        per_device_train_batch_size=4,
        learning_rate=1e-2,
        logging_steps=20,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()

model = trainer.model.eval()
stop = tokenizer.encode("\\n", add_special_tokens=False)
inputs = tokenizer("Answer:", return_tensors="pt")
outputs = model.generate(
    **inputs,
    max_new_tokens=40,
    do_sample=False,
    stopping_criteria=StoppingCriteriaList([KeyWordsCriteria([stop])]),
)
answer = tokenizer.decode(outputs[0][inputs["input_ids"].shape[1] :])
print(repr(answer))
print("the generation goes on" if answer.rstrip("\\n").count("\\n") else "the generation stops")
"""
SHOTS = rows(*({"text": f"Answer: {b}\n" * 6} for _, b in PAIRS))
REPORTS = (
    Report(
        "vwxyzjn/lm-human-preference-details#6",
        "current",
        "another reward",
        r"padding_side|(at|of|is|from) a pad|pad token|last (token|position)|\[:, -1",
        {"train.py": LAST_TOKEN, "prompts.jsonl": PROMPTS},
        changed(
            LAST_TOKEN,
            (
                "inputs = tokenizer(texts, padding=True, return",
                'inputs = tokenizer(texts, padding=True, padding_side="left", return',
            ),
        ),
        level="",
    ),
    Report(
        "allenai/open-instruct#22",
        "current",
        "the generation goes on",
        r"KeyWordsCriteria|StoppingCriteria|stopping_criteria|sequences_should_be_stopped",
        {"train.py": STOPPED, "few-shot.jsonl": SHOTS},
        changed(
            STOPPED,
            (
                "            for stop_sequence in self.stop_sequences:\n",
                "            ended = False\n"
                "            for stop_sequence in self.stop_sequences:\n",
            ),
            (
                "                    sequences_should_be_stopped.append(True)\n",
                "                    ended = True\n",
            ),
            (
                "            sequences_should_be_stopped.append(False)\n",
                "            sequences_should_be_stopped.append(ended)\n",
            ),
        ),
        level="",
    ),
)
