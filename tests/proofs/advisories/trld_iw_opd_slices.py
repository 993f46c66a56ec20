"""Gradients of IWOPD shrink with gradient_accumulation_steps."""

from distilling import norms
from small import verdict

one, four = norms("IWOPD", lmbda=1.0, temperature=0.01) or (0.0, 0.0)
verdict(four < 0.5 * one, f"gradients of four rows: {one:.3f} in one batch, {four:.3f} in four")
