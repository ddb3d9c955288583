// Microseconds a decision in dimensions-ai: two bots answer every step, and are frozen between their moves.
// Run in the peers' folder: node dimensions_turns.js BOT STEPS SIZE; prints one number.
const path = require('path');
const Dimension = require(require.resolve('dimensions-ai', { paths: [path.join(__dirname, '..', '..', 'build', 'peers-npm')] }));
const [bot, steps, size] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];

const legal = Array.from({ length: 4 }, (_, number) => ({ type: 'take', number }));
const message = (turn) => {
  const head = JSON.stringify({ type: 'turn', turn, clock: { remaining_ms: 1000000, cap_ms: 100000 }, legal });
  return head.slice(0, -1) + ',"observation":"' + '.'.repeat(Math.max(0, size - head.length - 20)) + '"}';
};

class Flat extends Dimension.Design {
  async initialize(match) {
    match.state = { step: 0 };
    await match.sendAll(message(0));
  }
  async update(match, commands) {
    // The first step waits for the bots' interpreters.
    if (match.state.step === 0) match.state.began = process.hrtime.bigint();
    match.state.step += 1;
    if (match.state.step >= steps) {
      match.state.spent = Number(process.hrtime.bigint() - match.state.began);
      return Dimension.Match.Status.FINISHED;
    }
    await match.sendAll(message(match.state.step));
    return Dimension.Match.Status.RUNNING;
  }
  async getResults(match) {
    return match.state.spent / 1000 / (steps - 1) / 2;
  }
}

(async () => {
  const dimension = Dimension.create(new Flat('flat', {
    engineOptions: {
      commandFinishPolicy: 'line_count',
      commandLines: { max: 1, min: 1, waitForNewline: true },
      timeout: { active: true, max: 10000 },
      memory: { active: false },
      noStdErr: true,
    },
  }), { activateStation: false, observe: false, loggingLevel: Dimension.Logger.LEVEL.NONE, secureMode: false, defaultMatchConfigs: { storeErrorLogs: false } });
  console.log(await dimension.runMatch([bot, bot], { storeErrorLogs: false, storeReplay: false }));
  process.exit(0);
})();
