"""Answers a script that asks for a GPU, and starts its processes on the CPU."""
