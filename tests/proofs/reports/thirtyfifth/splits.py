"""Threads of a thirty-fifth list: what is held out, and what of a conversation is learnt."""

from reports.report import CHATS, Report, changed, rows, turn

TALKS = rows(
    *(
        {
            "id": number,
            "messages": [
                turn("user", f"Tell me about {thing}."),
                turn("assistant", f"The {thing} is {first}."),
                turn("user", "And what else?"),
                turn("assistant", f"It is {second}."),
                turn("user", "Where is it?"),
                turn("assistant", f"In {place}."),
            ],
        }
        for number, (thing, first, second, place) in enumerate(
            (
                ("heron", "grey", "patient", "the reeds"),
                ("plover", "small", "quick", "the sand"),
                ("rowan", "red", "hardy", "the hills"),
                ("alder", "dark", "wet", "the marsh"),
                ("godwit", "long", "far", "the flats"),
                ("linden", "sweet", "old", "the square"),
            )
        )
    )
)
CHAINED = '''\
"""Each answer of a conversation is an example, with all that was said before it."""

from datasets import Dataset, load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def chained(talks):
    """One row for each answer."""
    examples = []
    for talk in talks:
        messages = talk["messages"]
        for at, message in enumerate(messages):
            if message["role"] == "assistant":
                examples.append({"talk": talk["id"], "messages": messages[: at + 1]})
    return Dataset.from_list(examples)


def parts(path, share, seed):
    """Rows to train on, and rows to validate with."""
    talks = load_dataset("json", data_files=path, split="train")
    split = chained(talks).train_test_split(test_size=share, seed=seed)
    return split["train"], split["test"]


def main():
    train, held_out = parts("talks.jsonl", share=1 / 3, seed=7)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=train,
        eval_dataset=held_out,
        args=SFTConfig(
            output_dir="chained",
            num_train_epochs=1,
            per_device_train_batch_size=4,
            eval_strategy="epoch",
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    both = set(train["talk"]) & set(held_out["talk"])
    print("conversations on both sides of the split:", len(both))


if __name__ == "__main__":
    main()
'''
RECIPE = """\
model_name_or_path: model
output_dir: distilled
max_steps: 2
per_device_train_batch_size: 2
learning_rate: 4.0e-5
packing: false
report_to: none
save_strategy: "no"
use_cpu: true
bf16: false
"""
MARKED = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}"
    "{% if message['role'] == 'assistant' %}{% generation %}"
    "{{ message['content'] + '<|im_end|>' }}{% endgeneration %}"
    "{% else %}{{ message['content'] + '<|im_end|>' }}{% endif %}{{ '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
DISTIL = '''\
"""Teaches a model to reason as a larger one does: `python train.py`, with recipe.yaml."""

import sys

from datasets import load_dataset
from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser


def main(arguments):
    parser = TrlParser((SFTConfig, ModelConfig))
    training_args, model_args = parser.parse_args_and_config(arguments)
    trainer = SFTTrainer(
        model=model_args.model_name_or_path,
        args=training_args,
        train_dataset=load_dataset("json", data_files="traces.jsonl", split="train"),
    )
    trainer.train()
    labels = next(iter(trainer.get_train_dataloader()))["labels"][0]
    learnt = trainer.processing_class.decode(labels[labels >= 0])
    print("what the user says is learnt:", "user" in learnt, repr(learnt))


if __name__ == "__main__":
    main(sys.argv[1:] or ["--config", "recipe.yaml"])
'''
REPORTS = (
    Report(
        "h2oai/h2o-llmstudio#422",
        "current",
        "both sides of the split: [1-9]",
        r"eval.{0,200}(train|same|also|copies|contain)|(train|same).{0,200}eval",
        {"train.py": CHAINED, "talks.jsonl": TALKS},
        changed(
            CHAINED,
            (
                "    split = chained(talks).train_test_split(test_size=share, seed=seed)\n"
                '    return split["train"], split["test"]\n',
                "    split = talks.train_test_split(test_size=share, seed=seed)\n"
                '    return chained(split["train"]), chained(split["test"])\n',
            ),
        ),
    ),
    Report(
        "huggingface/open-r1#710",
        "current",
        "what the user says is learnt: True",
        r"assistant_only_loss|completion_only_loss|(prompt|question|user).{0,120}(learn|loss|label)"
        r"|(learn|loss|label).{0,120}(prompt|question|user)",
        {"train.py": DISTIL, "recipe.yaml": RECIPE, "traces.jsonl": CHATS},
        {
            "recipe.yaml": RECIPE + "assistant_only_loss: true\nchat_template_path: marked.jinja\n",
            "marked.jinja": MARKED,
        },
    ),
)
