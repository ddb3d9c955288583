#!/usr/bin/env node
// Play Please Don't Burn My Village! by four simple rules. This bot shows the protocol in JavaScript.
//
// The bot builds columns: it bribes with many cards of one type at once, takes the free stall, buys cards that fit its
// columns, and draws otherwise. Each legal action gets a score, and one of the best is played.
"use strict";

const readline = require("node:readline");

// A small random generator (mulberry32), since `Math.random` has no seed. The same seed gives the same answers.
function generator(seed) {
  let state = (seed ^ Math.floor(seed / 2 ** 32)) >>> 0; // seeds have up to 53 bits
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function mark(action, seen) {
  const columns = seen.tables[seen.viewer].bribes;
  if (action.type === "bribe") {
    const size = action.cards + action.wilds;
    return size >= 3 || action.treasure in columns ? 10 * size : size;
  }
  if (action.type === "buy") {
    const goods = seen.stalls[action.stall];
    const fitting = goods.filter((name) => name in columns || name === "wild").length;
    const spoilt = action.curse !== null && action.curse in columns ? 5 : 0; // do not curse a type of an own column
    return 4 * fitting + goods.length - 3 * action.stall - spoilt;
  }
  return seen.deck > 0 ? 2 : -50; // drawing from the empty deck ends the match
}

function choose(message, luck) {
  const marks = message.legal.map((action) => mark(action, message.observation));
  const best = Math.max(...marks);
  const places = marks.flatMap((one, place) => (one === best ? [place] : []));
  return places[Math.floor(luck() * places.length)];
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

let luck = generator(0);
readline.createInterface({ input: process.stdin, terminal: false }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    // The bot keeps nothing from one match to the next, so the process may be used again.
    say(message.game === "burn_my_village" ? { type: "ready", reuse: true } : { type: "decline" });
  } else if (message.type === "start") {
    luck = generator(message.seed);
  } else if (message.type === "turn") {
    say({ action: choose(message, luck) });
  }
});
