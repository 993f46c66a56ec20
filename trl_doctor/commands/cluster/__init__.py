"""Targets examined on a Ray cluster: many of them as its tasks, or one of them on every node."""
