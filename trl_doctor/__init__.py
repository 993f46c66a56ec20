"""Examines a TRL run before it is paid for."""

__version__ = "0.1.0"
