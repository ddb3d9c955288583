"""Submissions: read, copy, build, check and register an untrusted bot completely, or not at all."""
