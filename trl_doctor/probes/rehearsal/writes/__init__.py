"""Keeps writes, uploads, logins and trackers of a rehearsed script inside a scratch folder."""
