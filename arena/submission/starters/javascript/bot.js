// BOT_NAME: plays any game of the arena by choosing at random. Make `choose` clever.
//
// The arena starts this program and talks to it in lines of JSON: one message a line on standard input, one answer a
// line on standard output. Print nothing else there; standard error is kept and shown when something fails.
"use strict";

const readline = require("readline");

// A small generator of numbers from 0 to 1. Drawing all luck from the match's seed makes a match repeatable.
function generator(seed) {
  let state = (seed % 4294967296) ^ Math.floor(seed / 4294967296);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// The index of the action to play. `observation` is all that your seat may know, `legal` every allowed action as an
// object, `events` what happened since your last turn. The fields of an observation: `arena game show GAME --rules`,
// section Observation.
function choose(observation, legal, events, random) {
  return Math.floor(random() * legal.length);
}

let random = generator(0);

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  let answer;
  if (message.type === "hello") {
    // "reuse" means: this process may play further matches, because it keeps nothing from one to the next.
    // Answer {"type": "decline"} to a game that you don't play.
    answer = { type: "ready", reuse: true };
  } else if (message.type === "start") {
    random = generator(message.seed); // a new match
    return;
  } else if (message.type === "turn") {
    // message.clock.remaining_ms is what is left for the whole match.
    answer = { action: choose(message.observation, message.legal, message.events, random) };
  } else {
    return; // "end" tells the result; nothing is to be answered
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
