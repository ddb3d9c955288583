"""Sets itself a limit of real-time CPU use, at which the kernel would kill it; it could blame others for its death."""

import resource

from playing import tries

TIME_WITHOUT_A_PAUSE = 15

tries(lambda: resource.setrlimit(TIME_WITHOUT_A_PAUSE, (1_000_000, 1_000_000)))
