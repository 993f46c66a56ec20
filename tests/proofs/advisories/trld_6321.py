"""A pair whose prompt fills max_length stays in the batch, without a token of either answer."""

from small import trainer, verdict

long = {"prompt": "w1 w2 w3 w4 w5 w6", "chosen": " w7 w8", "rejected": " w9"}
short = {"prompt": "w1", "chosen": " w7 w8", "rejected": " w9"}
kept = {"max_length": 4, "max_prompt_length": None, "truncation_mode": "keep_start"}
trained = trainer("DPO", [long, short], {**kept, "per_device_train_batch_size": 1, "max_steps": 2})
trained.train()
logps = [entry["logps/chosen"] for entry in trained.state.log_history if "logps/chosen" in entry]
verdict(0 in map(float, logps), f"log-probabilities of the chosen answers: {logps}")
