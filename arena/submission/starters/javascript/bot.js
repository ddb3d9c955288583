// BOT_NAME: plays any game of the arena with random actions. Improve `choose`.
//
// The arena starts this program and exchanges lines of JSON with it: one message a line on standard input, one answer a
// line on standard output. Print nothing else to standard output. Standard error is stored and shown after a failure.
"use strict";

const readline = require("readline");

// A small random generator of numbers from 0 to 1. If all random numbers come from the seed, a match is repeatable.
function generator(seed) {
  let state = (seed % 4294967296) ^ Math.floor(seed / 4294967296);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// Return the index of the action to play. `observation` is all that your seat may know, `legal` all allowed actions as
// objects, and `events` what happened since your last turn. For the fields of an observation see
// `arena game show GAME --rules`, section Observation.
function choose(observation, legal, events, random) {
  return Math.floor(random() * legal.length);
}

let random = generator(0);

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  let answer;
  if (message.type === "hello") {
    // "reuse" means that this process may play further matches, because it carries nothing over from one match to the
    // next. If you do not play the game, answer {"type": "decline"}.
    answer = { type: "ready", reuse: true };
  } else if (message.type === "start") {
    random = generator(message.seed); // a new match
    return;
  } else if (message.type === "turn") {
    // message.clock.remaining_ms is the time left for the rest of the match.
    answer = { action: choose(message.observation, message.legal, message.events, random) };
  } else {
    return; // "end" reports the result and needs no answer
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
