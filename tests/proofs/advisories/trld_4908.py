"""The answers of a conversation end with two end-of-sequence tokens."""

from small import trainer, verdict


def turn(role, content):
    return [{"role": role, "content": content}]


row = {
    "prompt": turn("user", "w1"),
    "chosen": turn("assistant", "w2"),
    "rejected": turn("assistant", "w3"),
}
trained = trainer("DPO", [row] * 2, {})
first = trained.train_dataset[0]
ids = list(first.get("chosen_input_ids") or first["chosen_ids"])
verdict(ids[-2:] == [1, 1], f"ids of the chosen answer (eos is 1): {ids}")
