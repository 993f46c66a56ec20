"""GOLD's gradients grow with gradient_accumulation_steps."""

from distilling import norms
from small import verdict

one, four = norms("GOLD") or (0.0, 0.0)
verdict(four > 2 * one, f"gradients of four rows: {one:.3f} in one batch, {four:.3f} in four")
