"""Sets itself a limit of the time without a pause, at which the kernel would kill it when one of its timers looks; it
could blame others for that."""

import resource

from playing import tries

TIME_WITHOUT_A_PAUSE = 15

tries(lambda: resource.setrlimit(TIME_WITHOUT_A_PAUSE, (1_000_000, 1_000_000)))
