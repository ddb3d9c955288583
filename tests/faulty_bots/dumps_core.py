"""Enables core dumps, and crashes."""

import os
import resource

from playing import turns

for _ in turns():
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        pass
    os.abort()
