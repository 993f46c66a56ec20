"""Truncated completions are out of the loss, and still in its denominator."""

from small import generated, grpo, lengths, verdict

trained = grpo(lengths, max_completion_length=2, mask_truncated_completions=True, loss_type="dapo")
batch = generated(trained)
counted = float(batch["completion_mask"].sum())
divided = float(batch.get("num_items_in_batch", counted))
verdict(divided > max(counted, 1), f"the sum over {counted:.0f} tokens is divided by {divided:.0f}")
