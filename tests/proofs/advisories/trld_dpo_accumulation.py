"""Gradients of DPO, CPO and the reward trainer grow with gradient_accumulation_steps."""

from accumulating import norms
from small import verdict

gradients = {name: norms(name) for name in ("DPO", "CPO", "Reward")}
grown = all(four > 2 * one for one, four in gradients.values())
verdict(grown, f"gradients of four rows in one batch and in four: {gradients}")
