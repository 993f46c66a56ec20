"""A row whose prompt fills max_length stays in the batch, without a label."""

from small import trainer, verdict

long = {"prompt": "w1 w2 w3 w4 w5 w6", "completion": " w7"}
short = {"prompt": "w1", "completion": " w7"}
trained = trainer("SFT", [long, short] * 2, {"max_length": 4, "per_device_train_batch_size": 4})
rows = [row for batch in trained.get_train_dataloader() for row in batch["labels"].tolist()]
empty = sum(all(label == -100 for label in row) for row in rows)
verdict(empty > 0, f"{empty} of {len(rows)} rows in the batches have no label")
