"""Sets itself a limit of CPU time, at which the kernel would kill it; it could blame others for its death."""

import resource

from playing import tries

tries(lambda: resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000)))
