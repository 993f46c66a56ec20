"""Gradients of GKD and Distillation grow with gradient_accumulation_steps."""

from distilling import norms
from small import verdict

found = {name: made for name in ("GKD", "Distillation") if (made := norms(name))}
grown = any(four > 2 * one for one, four in found.values())
verdict(grown, f"gradients of four rows in one batch and in four: {found}")
