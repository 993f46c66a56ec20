"""keep_end cuts the padding's side: a shorter answer is lost from the batch."""

from small import logged, trainer, verdict

rows = [{"prompt": "w1 w2", "chosen": " w3 w4 w5 w6 w7 w8", "rejected": " w9"}] * 2
kept = {"max_length": 4, "truncation_mode": "keep_end", "max_prompt_length": None}
trained = trainer("DPO", rows, kept)
trained.train()
rejected = float(logged(trained, "logps/rejected"))
verdict(rejected == 0, f"log-probability of the rejected answer: {rejected}")
