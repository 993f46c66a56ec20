"""Renderers: one output format a module, each a pure function from a checkup to text."""
