"""Gradients of GKD and Distillation grow with gradient_accumulation_steps."""

from distilling import norms
from small import verdict

gradients = {name: pair for name in ("GKD", "Distillation") if (pair := norms(name))}
grown = any(four > 2 * one for one, four in gradients.values())
verdict(grown, f"gradients of four rows in one batch and in four: {gradients}")
