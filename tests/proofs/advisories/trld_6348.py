"""precompute_ref_log_probs fails where the rows are not in a file."""

from small import raises, trainer

PAIR = {"prompt": "w1 w2", "chosen": " w3", "rejected": " w4"}
KINDS = {"DPO": [PAIR] * 2}
KINDS["KTO"] = [{"prompt": "w1 w2", "completion": " w3", "label": label} for label in (True, False)]


def computes():
    for name, rows in KINDS.items():
        trainer(name, rows, {"precompute_ref_log_probs": True}).train()


raises("FileNotFoundError.*", computes)
