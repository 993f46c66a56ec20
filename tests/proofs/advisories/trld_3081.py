"""Counting the tokens before the first step reads a batch of GRPO or RLOO as a mapping."""

from small import grpo, lengths, raises

trained = grpo(lengths, include_tokens_per_second=True)
raises("list indices must be integers or slices, not str", trained.train)
