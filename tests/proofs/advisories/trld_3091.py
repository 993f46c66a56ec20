"""A row of plain text gets no end-of-sequence token."""

from small import trainer, verdict

trained = trainer("SFT", [{"text": "w1 w2 w3"}] * 4, {})
ids = list(trained.train_dataset[0]["input_ids"])
verdict(ids[-1] != 1, f"ids of w1 w2 w3 (eos is 1): {ids}")
