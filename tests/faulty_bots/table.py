"""The expected verdict for each faulty bot, with and without a sandbox: one row for each bot.

To add one: write the program (its first docstring line says what it does wrong), add its row; the tests do the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from arena.model.causes import Cause
from arena.sandbox.launcher import Sandbox

Kind = Literal["start", "timing", "format", "processes", "resources", "snooping", "unfairness"]
Unprevented = Literal["succeeds", "may succeed", "fails"]
"""The result of an attempt that nothing prevents; it may depend on the arena's user, and on the host."""


@dataclass(frozen=True)
class Row:
    """One faulty bot and its verdict."""

    file: str
    kind: Kind
    confined: Cause | None
    """The verdict with this layer; None if the bot commits no fault that costs a match."""
    unconfined: Cause | None
    """The verdict without this layer; None if nothing prevents or notices what the bot does."""
    says: str = ""
    """Regular expression for the message to the author."""
    at: Literal["startup", "turn"] = "turn"
    startup_s: float = 10.0
    layer: str | None = None
    """The layer of the sandbox that causes the first verdict or prevents the attempt (see
    `arena.sandbox.probe.LAYERS`); None means all layers. If the layer is not active, `arena doctor` must report it."""
    attempt: Unprevented | None = None
    """The result for a bot that plays on and reports its attempt in a note."""

    def prevented(self, sandbox: Sandbox) -> bool:
        """Return whether this sandbox has the layer that prevents the attempt."""
        return sandbox.confined if self.layer is None else self.layer in sandbox.layers

    def expected(self, sandbox: Sandbox) -> Cause | None:
        """The verdict under this sandbox."""
        return self.confined if self.prevented(sandbox) else self.unconfined


def row(file: str, kind: Kind, cause: Cause | None, says: str = "") -> Row:
    """A bot that is judged alike everywhere, at its first turn or later."""
    return Row(file, kind, cause, cause, says)


def start(file: str, cause: Cause, says: str, startup_s: float = 10.0) -> Row:
    """A bot that is judged alike everywhere, before its first turn."""
    return Row(file, "start", cause, cause, says, "startup", startup_s)


def limited(file: str, kind: Kind, cause: Cause, says: str, layer: str) -> Row:
    """A bot that is stopped where that layer is in force, and else plays on."""
    return Row(file, kind, cause, None, says, layer=layer)


def tries(file: str, kind: Kind, layer: str | None, unprevented: Unprevented = "succeeds") -> Row:
    """A bot that plays on, and whose attempt fails where that layer is in force."""
    return Row(file, kind, None, None, layer=layer, attempt=unprevented)


MALFORMED: Final = Cause.MALFORMED
TURN_1_LATE: Final = r"expected an answer to turn 1 within 0\.400 s"

TABLE: Final = (
    # start
    start("never_says_ready.py", Cause.STARTUP_LATE, r"expected an answer to hello within 1\.5 s", 1.5),
    start("slow_import.py", Cause.STARTUP_LATE, r"expected an answer to hello within 1\.2 s", 1.2),
    row("slow_import_in_time.py", "start", None),
    start("prints_banner.py", Cause.NO_HANDSHAKE, r"expected a JSON object.*got 'MegaBot 3000 \(c\) nobody'"),
    start("greets_in_bytes.py", Cause.NO_HANDSHAKE, r"expected UTF-8, got"),
    start("reuse_as_text.py", Cause.NO_HANDSHAKE, r"expected true or false for reuse"),
    start("declines.py", Cause.NO_HANDSHAKE, r"expected ready, got decline: tiny is played here"),
    start("exits_at_once.sh", Cause.CRASHED, r"status 7; its last words: 'no licence found'"),
    start("missing_library.py", Cause.CRASHED, r"ModuleNotFoundError: No module named .*no_such_library"),
    start("ready_without_newline.sh", Cause.CRASHED, r"ended with status 0"),
    row("ready_then_exits.py", "start", Cause.CRASHED, r"ended with status 0"),
    row("says_ready_twice.py", "start", Cause.UNASKED_OUTPUT, r"expected silence before turn 1, got .*ready"),
    row("never_reads.py", "start", Cause.TURN_LATE, TURN_1_LATE),
    # timing
    row("hangs_on_turn.py", "timing", Cause.TURN_LATE, TURN_1_LATE),
    row("spins_on_turn.py", "timing", Cause.TURN_LATE, TURN_1_LATE),
    row("drips_bytes.py", "timing", Cause.TURN_LATE, TURN_1_LATE),
    row("ignores_signals.py", "timing", Cause.TURN_LATE, TURN_1_LATE),
    row("late_once.py", "timing", Cause.TURN_LATE, TURN_1_LATE),
    row("just_after_the_limit.py", "timing", Cause.TURN_LATE, TURN_1_LATE),
    row("just_before_the_limit.py", "timing", None),
    row("answer_in_two_halves.py", "timing", None),
    row("hangs_later.py", "timing", Cause.TURN_LATE, r"expected an answer to turn \d within 0\.400 s"),
    row("spends_its_clock.py", "timing", Cause.CLOCK_EXHAUSTED, r"expected an answer to turn \d+ within 0\.\d+ s"),
    row("chatters_of_other_turns.py", "timing", Cause.STALE_TURN, r"expected an answer to turn 1, got one to turn -50"),
    row("answers_ahead.py", "timing", Cause.UNASKED_OUTPUT, r"expected silence before turn \d+, got '\{\"action\":0"),
    row("answers_twice.py", "timing", Cause.UNASKED_OUTPUT, r"expected silence before turn \d+, got '\{\"action\":0\}"),
    # format: what is read by strict rules, just outside and just inside of each
    row("crashes_on_turn.py", "format", Cause.CRASHED, r"status 1; its last words: \"?'KeyError: .*no such field"),
    row("cut_off_answer.py", "format", Cause.CRASHED, r"ended with status 0"),
    row("leaves_quietly.py", "format", Cause.CRASHED, r"ended with status 0"),
    row("closes_output.py", "format", Cause.CLOSED_OUTPUT, r"the bot has closed its output"),
    row("answers_nonsense.py", "format", MALFORMED, r"expected a JSON object.*got 'I play the three, please'"),
    row("blank_line.py", "format", MALFORMED, r"got a blank line"),
    row("ends_lines_with_cr.py", "format", None),
    row("spaces_around.py", "format", None),
    row("byte_order_mark.py", "format", MALFORMED, r"expected no byte order mark"),
    row("not_utf8.py", "format", MALFORMED, r"expected UTF-8, got .*caf\\xe9"),
    row("text_of_all_lengths.py", "format", None),
    row("not_an_object.py", "format", MALFORMED, r"expected a JSON object, got '\[0\]'"),
    row(
        "two_objects_in_a_line.py",
        "format",
        MALFORMED,
        r"expected one JSON object in a line, but more text follows at character \d+",
    ),
    row("not_a_number.py", "format", MALFORMED, r"expected JSON, which has no NaN"),
    row("infinity.py", "format", MALFORMED, r"expected JSON, which has no -Infinity"),
    row("number_beyond_doubles.py", "format", MALFORMED, r"within the range of a double"),
    row("largest_double.py", "format", None),
    row("integer_of_65_bits.py", "format", MALFORMED, r"expected integers of at most 64 bits"),
    row("integers_of_64_bits.py", "format", None),
    row("nested_33_deep.py", "format", MALFORMED, r"expected nesting of at most 32 levels"),
    row("nested_32_deep.py", "format", None),
    row("key_twice.py", "format", MALFORMED, r"expected each key once"),
    row("same_key_elsewhere.py", "format", None),
    row("lone_surrogate.py", "format", MALFORMED, r"expected no lone surrogate"),
    row("surrogate_pair.py", "format", None),
    row("null_character.py", "format", MALFORMED, r"expected no U\+0000"),
    row("control_characters.py", "format", None),
    row("no_action.py", "format", MALFORMED, r"expected the field action"),
    row("fields_nobody_knows.py", "format", None),
    row("note_too_long.py", "format", None),
    row("index_is_true.py", "format", MALFORMED, r"expected an index or an object as action"),
    row("index_is_a_float.py", "format", MALFORMED, r"expected an index or an object as action"),
    row("index_is_null.py", "format", MALFORMED, r"expected an index or an object as action"),
    row("index_is_a_text.py", "format", MALFORMED, r"expected an index or an object as action"),
    row("index_is_negative.py", "format", MALFORMED, r"expected an index of at least 0"),
    row("index_without_a_list.py", "format", MALFORMED, r"asked for no list of legal actions"),
    row("turn_as_text.py", "format", MALFORMED, r"expected an integer for turn"),
    row("unknown_field_in_action.py", "format", MALFORMED, r"turn 1: expected \{\"type\":\"play\".*because"),
    row("index_one_too_large.py", "format", Cause.ILLEGAL_ACTION, r"expected an index of a legal action, got 4"),
    row("index_too_large.py", "format", Cause.ILLEGAL_ACTION, r"turn 1: expected an index of a legal action, got 999"),
    row("last_index.py", "format", None),
    row("card_it_does_not_hold.py", "format", Cause.ILLEGAL_ACTION, r"expected one of the legal actions, got .*250"),
    row("names_another_turn.py", "format", Cause.STALE_TURN, r"expected an answer to turn 1, got one to turn 2"),
    row("endless_line.py", "format", Cause.OUTPUT_FLOOD, r"expected a line of at most 65536 bytes"),
    row("line_one_byte_too_long.py", "format", Cause.OUTPUT_FLOOD, r"expected a line of at most 65536 bytes"),
    row("line_of_the_limit.py", "format", None),
    # processes
    row("child_holds_pipes.py", "processes", Cause.CRASHED, r"ended with status 5"),
    row("child_floods_after_its_end.py", "processes", Cause.UNASKED_OUTPUT, r"expected silence before turn \d"),
    row("daemon_outlives_it.py", "processes", Cause.CRASHED, r"ended with status 0"),
    row("exits_as_if_killed.py", "processes", Cause.CRASHED, r"ended with status 137"),
    row("aborts.py", "processes", Cause.CRASHED, r"ended with status (-6|134|139)"),
    row("segmentation_fault.py", "processes", Cause.CRASHED, r"ended with status (-11|139)"),
    row("becomes_another_program.py", "processes", Cause.TURN_LATE, TURN_1_LATE),
    Row("stops_itself.py", "processes", None, Cause.TURN_LATE, TURN_1_LATE, layer="namespaces"),
    Row("kills_its_group.py", "processes", None, Cause.CRASHED, r"ended with status -9", layer="namespaces"),
    limited(
        "starts_many_threads.py", "processes", Cause.TOO_MANY_PROCESSES, r"can't start new thread", "process-limit"
    ),
    limited(
        "starts_many_processes.py", "processes", Cause.TOO_MANY_PROCESSES, r"temporarily unavailable", "process-limit"
    ),
    row("fork_bomb.py", "processes", Cause.TURN_LATE, TURN_1_LATE),
    row("double_fork.py", "processes", None),
    row("leaves_its_session.py", "processes", None),
    row("makes_zombies.py", "processes", None),
    row("starts_programs.py", "processes", None),
    row("child_answers.py", "processes", None),
    # resources
    limited("takes_much_memory.py", "resources", Cause.OUT_OF_MEMORY, r"last words: 'MemoryError", "memory-limit"),
    row("fills_stderr.py", "resources", None),
    row("dumps_core.py", "resources", Cause.CRASHED, r"ended with status (-6|134|139)"),
    row("many_small_files.py", "resources", None),
    row("nests_folders.py", "resources", None),
    tries("allocates_for_ever.py", "resources", "memory-limit"),
    tries("maps_memory.py", "resources", "memory-limit"),
    tries("maps_shared_memory.py", "resources", "seccomp"),
    tries("maps_the_zero_device.py", "resources", "namespaces"),
    tries("memory_without_a_name.py", "resources", "seccomp"),
    tries("memory_of_the_system.py", "resources", "seccomp", "may succeed"),
    tries("fills_scratch.py", "resources", "scratch-limit"),
    tries("opens_many_files.py", "resources", "file-limit", "may succeed"),
    tries("writes_a_large_file.py", "resources", "file-limit"),
    tries("raises_its_limits.py", "resources", "memory-limit", "may succeed"),
    tries("limits_its_own_time.py", "resources", "seccomp"),
    tries("limits_its_real_time.py", "resources", "seccomp"),
    tries("submits_reads.py", "resources", "seccomp", "may succeed"),
    tries("moves_its_pages.py", "resources", "seccomp", "may succeed"),
    tries("reads_directly.py", "resources", "seccomp", "may succeed"),
    tries("advises_its_process.py", "resources", "seccomp", "may succeed"),
    # snooping
    tries("reads_other_bots.py", "snooping", "read-only"),
    tries("reads_the_database.py", "snooping", "read-only"),
    tries("reads_the_home.py", "snooping", "read-only"),
    tries("reads_the_environment.py", "snooping", "namespaces", "fails"),
    tries("reads_the_first_environment.py", "snooping", "namespaces", "fails"),
    tries("lists_processes.py", "snooping", "namespaces"),
    tries("signals_the_arena.py", "snooping", "namespaces", "may succeed"),
    tries("traces_the_arena.py", "snooping", "namespaces", "fails"),
    tries("scans_ports.py", "snooping", "no-network"),
    tries("listens_on_a_port.py", "snooping", "no-network", "may succeed"),
    tries("connects_by_name.py", "snooping", "no-network"),
    tries("resolves_names.py", "snooping", "no-network", "may succeed"),
    tries("sends_raw_packets.py", "snooping", "unprivileged", "may succeed"),
    tries("uses_inherited_descriptors.py", "snooping", None, "fails"),
    tries("writes_outside.py", "snooping", "read-only"),
    tries("changes_its_program.py", "snooping", "read-only", "may succeed"),
    tries("opens_devices.py", "snooping", "read-only", "may succeed"),
    tries("makes_a_device.py", "snooping", "unprivileged", "may succeed"),
    tries("becomes_root.py", "snooping", "unprivileged", "may succeed"),
    tries("mounts.py", "snooping", "unprivileged", "may succeed"),
    tries("makes_namespaces.py", "snooping", "seccomp", "may succeed"),
    tries("reads_the_kernels_log.py", "snooping", "seccomp", "may succeed"),
    tries("leaves_a_message.py", "snooping", "read-only", "may succeed"),
    # unfairness
    tries("changes_its_core.py", "unfairness", "seccomp"),
    tries("schedules_itself_in_batches.py", "unfairness", "seccomp"),
    tries("schedules_itself_first.py", "unfairness", "unprivileged", "may succeed"),
    tries("raises_its_priority.py", "unfairness", "unprivileged", "may succeed"),
    tries("lowers_others.py", "unfairness", "namespaces", "may succeed"),
    tries("leaves_its_group.py", "unfairness", "seccomp", "may succeed"),
    row("thinks_off_turn.py", "unfairness", None),
    row("helper_thinks_off_turn.py", "unfairness", None),
    row("escaped_helper_thinks_off_turn.py", "unfairness", None),
    row("successors_think_off_turn.py", "unfairness", None),
    row("wakes_itself_by_a_timer.py", "unfairness", None),
    row("wakes_itself_by_a_child.py", "unfairness", None),
    row("wakes_itself_by_a_parent.py", "unfairness", None),
    row("wakes_itself_by_a_pipe.py", "unfairness", None),
    row("wakes_itself_by_a_terminal.py", "unfairness", None),
    row("vforks_and_thinks.py", "unfairness", None),
    row("children_wake_each_other.py", "unfairness", None),
)
