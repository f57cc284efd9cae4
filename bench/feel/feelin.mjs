// Evaluates the conditions of a file with feelin for some seconds of CPU time and prints its rates:
// how many it parses, and how many it evaluates, per second.
//   node feelin.mjs CONDITIONS.json SECONDS
// A wrong value ends it: speed counts only for right answers.
import { readFileSync } from 'node:fs';
import { evaluate, parseExpression } from 'feelin';

const [conditionsFile, seconds] = process.argv.slice(2);
const conditions = JSON.parse(readFileSync(conditionsFile, 'utf8'));

for (const { expression, context, value } of conditions) {
  const result = evaluate(expression, context);
  if (result.value !== value) {
    console.error(`feelin says ${JSON.stringify(result.value)} for ${expression}`);
    process.exit(1);
  }
}

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Calls `once` for every condition again and again; calls per second of CPU time. */
function rate(once) {
  const round = () => conditions.forEach(once);
  for (let i = 0; i < 300; ++i) round(); // until the compiler of the runtime has settled
  const began = cpuSeconds();
  let rounds = 0;
  let spent = 0;
  do {
    for (let i = 0; i < 20; ++i) round();
    rounds += 20;
    spent = cpuSeconds() - began;
  } while (spent < Number(seconds));
  return (rounds * conditions.length) / spent;
}

const parse_per_s = rate(({ expression, context }) => parseExpression(expression, context));
const eval_per_s = rate(({ expression, context }) => evaluate(expression, context));
console.log(`${parse_per_s.toFixed(1)} ${eval_per_s.toFixed(1)}`);
