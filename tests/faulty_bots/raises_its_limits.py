"""Raises the limits that it was given."""

import resource

from playing import tries

tries(lambda: resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
