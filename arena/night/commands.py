"""Handle the requests of other commands to the running night.

A stop takes effect as soon as it is requested; all other changes take effect at the next round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.config.settings import MOST_WORKERS
from arena.errors import ArenaError
from arena.night.control import Haste, Stop
from arena.night.entrants import Entrants
from arena.night.events import EntrantAdded, EntrantDropped, NightEvent, WorkersChanged


class CommandHandler:
    """Handle the requests that `arena.night.control.ControlSocket` receives."""

    def __init__(
        self,
        entrants: Entrants,
        stop: Stop,
        workers: int,
        report: Callable[[NightEvent], None],
        *,
        takes_newcomers: bool,
    ) -> None:
        self._entrants = entrants
        self._stop = stop
        self._report = report
        self._takes_newcomers = takes_newcomers
        self.workers = workers
        """Number of workers from the next round on."""

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out the request and return what was done. A refusal is an answer with `error`."""
        try:
            match request.get("command"):
                case "stop":
                    haste = Haste[str(request.get("haste", "after_running")).upper()]
                    return {"haste": self._stop.ask(haste).name.lower()}
                case "workers":
                    return self._set_workers(request.get("count"))
                case "add":
                    return self._add(str(request.get("bot")))
                case "drop":
                    return self._drop(str(request.get("bot")))
        except ArenaError as error:
            return {"error": str(error)}
        return {"error": f"unknown command {request.get('command')!r}: expected stop, workers, add or drop"}

    def _set_workers(self, count: object) -> dict[str, Any]:
        if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST_WORKERS:
            return {"error": f"expected 1 to {MOST_WORKERS} workers, got {count!r}"}
        self.workers = count
        self._report(WorkersChanged(count))
        return {"workers": count}

    def _add(self, bot: str) -> dict[str, Any]:
        if not self._takes_newcomers:
            return {"error": "a knockout takes nobody after the draw"}
        change = self._entrants.add(bot)
        self._report(EntrantAdded(change.label, change.from_round, change.replaced))
        return {"bot": change.label, "from_round": change.from_round, "replaced": change.replaced}

    def _drop(self, bot: str) -> dict[str, Any]:
        change = self._entrants.drop(bot)
        self._report(EntrantDropped(change.label, change.from_round))
        return {"bot": change.label, "from_round": change.from_round}
