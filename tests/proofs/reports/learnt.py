"""Reports from which rules were learnt: one half of a list, by a coin."""

from dataclasses import replace

from reports.report import (
    COMPLETIONS,
    LENGTH,
    PREFERENCES,
    PROMPTS,
    REWARD,
    TEXT,
    Report,
    rows,
    script,
    turn,
)

OWN = (
    "from dataclasses import dataclass\nfrom transformers import TrainingArguments\n"
    "@dataclass\nclass Own(TrainingArguments):\n    {}\n"
)
MIXED = rows(
    *(
        {
            "prompt": f"What is {n}?",
            "chosen": [turn("user", f"What is {n}?"), turn("assistant", "Yes.")],
            "rejected": [turn("user", f"What is {n}?"), turn("assistant", "No.")],
        }
        for n in range(4)
    )
)
SEPARATE = rows(
    *(
        {
            "prompt": [turn("user", f"What is {n}?")],
            "chosen": [turn("assistant", "Yes.")],
            "rejected": [turn("assistant", "No.")],
        }
        for n in range(4)
    )
)
THOUGHT = rows(
    *(
        {
            "messages": [
                *(turn("user", f"What is {n}?"), turn("assistant", f"<think>\nso\n</think>\n{n}.")),
                *(
                    turn("user", "And twice?"),
                    turn("assistant", f"<think>\nso\n</think>\n{2 * n}."),
                ),
            ]
        }
        for n in range(4)
    )
)
WHOLE = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
CUT = WHOLE.replace("m.content", "m.content if loop.last else m.content.split('</think>')[-1]")
SEEN = (
    "from transformers import AutoTokenizer\n"
    "text = AutoTokenizer.from_pretrained('model').decode(trainer.train_dataset[0]['input_ids'])\n"
    "print('thoughts that are trained:', text.count('<think>'))\n"
)
SAVED = (
    "from transformers import AutoModelForCausalLM, TrainerCallback, TrainerState\n"
    "AutoModelForCausalLM.from_pretrained('model').save_pretrained('out/checkpoint-1')\n"
    "TrainerState(global_step=1, max_steps=2, train_batch_size=2).save_to_json(\n"
    "    'out/checkpoint-1/trainer_state.json')\n"
    "class Says(TrainerCallback):\n"
    "    def on_train_begin(self, args, state, control, **kwargs):\n"
    "        print('starts at step', state.global_step)\n"
)
SAYS = "trainer.add_callback(Says())\ntrainer.train({})\n"
ALONE = {"num_generations": 1, "per_device_train_batch_size": 1}
CORE = "from trl.core import logprobs_from_logits\n"
RESUMES = {"resume_from_checkpoint": True, "max_steps": 2}
THREADS = (
    Report(
        "HIT-SCIR/Chinese-Mixtral-8x7B#31",
        "current",
        "unexpected keyword argument 'cache_dir'",
        "cache_dir",
        {
            "train.py": script("SFT", before=OWN.format("cache_dir: str = 'cache'")).replace(
                "SFTConfig(", "Own("
            ),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT")},
    ),
    Report(
        "argilla-io/distilabel#343",
        "current",
        "Error",
        "prompt",
        {"train.py": script("DPO"), "rows.jsonl": MIXED},
        {"rows.jsonl": SEPARATE},
    ),
    Report(
        "huggingface/trl#3635",
        "current",
        "starts at step 0",
        "resume_from_checkpoint",
        {
            "train.py": script("SFT", RESUMES, before=SAVED, after=SAYS.format("")),
            "rows.jsonl": TEXT,
        },
        {
            "train.py": script(
                "SFT", {"max_steps": 2}, before=SAVED, after=SAYS.format("'out/checkpoint-1'")
            )
        },
    ),
    Report(
        "modelscope/ms-swift#3980",
        "grpo-first",
        "Error",
        "num_generations",
        {
            "train.py": script(
                "GRPO",
                ALONE,
                REWARD,
                before=LENGTH,
            ),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH)},
    ),
    Report(
        "tanhuajie/Reason-RFT#29",
        "grpo-first",
        "cannot import name 'logprobs_from_logits'",
        "logprobs_from_logits",
        {
            "train.py": CORE + script("SFT"),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT")},
    ),
    Report(
        "jingyaogong/minimind#85",
        "four",
        "unexpected keyword argument 'beta'",
        "beta",
        {"train.py": script("DPO", {}, {"beta": "0.1"}), "rows.jsonl": PREFERENCES},
        {"train.py": script("DPO", {"beta": 0.1})},
    ),
    Report(
        "huggingface/alignment-handbook#207",
        "four",
        "unexpected keyword argument 'model_init_kwargs'",
        "model_init_kwargs",
        {"train.py": script("SFT", {}, {"model_init_kwargs": "{}"}), "rows.jsonl": TEXT},
        {"train.py": script("SFT", {"model_init_kwargs": {}})},
    ),
    Report(
        "huggingface/trl#5324",
        "current",
        "formatting function|formatting_func",
        "formatting_func",
        {
            "train.py": script(
                "SFT",
                {"completion_only_loss": True},
                {"formatting_func": "join"},
                before="def join(row):\n    return row['prompt'] + row['completion']\n",
            ),
            "rows.jsonl": COMPLETIONS,
        },
        {"train.py": script("SFT", {"completion_only_loss": True})},
    ),
    Report(
        "modelscope/ms-swift#4939",
        "current",
        "thoughts that are trained: 1",
        "reasoning",
        {
            "train.py": script("SFT", after=SEEN),
            "rows.jsonl": THOUGHT,
            "model/chat_template.jinja": CUT,
        },
        {"model/chat_template.jinja": WHOLE},
    ),
)
REPORTS = tuple(replace(report, group="learnt") for report in THREADS)
