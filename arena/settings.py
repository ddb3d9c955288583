"""Every setting, checked: the rules of a league, and where `arena.toml`, the environment and options set them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """Base of all settings: immutable, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class LeagueRules(Settings):
    """All that decides how the matches of one league are played; copied into each night and into each job."""

    name: str
    game: str
    options: dict[str, bool | int | float | str | None] = Field(default_factory=dict)
    seats: tuple[int, ...] = (2,)
    time_control: str = "10+0.1/2"
    startup_s: float = 10.0
    strikes: int = 0
    strike_window_s: float = 1.0
    reuse: bool = True
    reuse_matches: int = 100
    untrusted: bool = False
    sandbox: Literal["required", "auto", "off"] = "auto"
    memory_mb: int = 512
    processes: int = 64
    suspend_after: int = 10
