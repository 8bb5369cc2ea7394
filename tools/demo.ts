/**
 * `npm run demo`: the guided demonstration of the protocol module.
 *
 * Usage: npm run demo [-- --json | --help]
 */
import { parseArgs } from 'node:util';
import { runDemo } from '../packages/protocol/demo/demo.ts';

const HELP = `Usage: npm run demo [-- OPTION]

Shows the protocol module at work: a wallet and its addresses, a payment, a
2-of-3 multisig payment, and a work block mined and checked. It takes a few
seconds, keeps nothing and sends nothing.

  --json   print what was found as one JSON document instead
  --help   print this
`;

const NOWHERE = { write: () => true };

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(HELP);
} else {
  const facts = await runDemo(values.json ? NOWHERE : process.stdout);
  if (values.json) process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`);
}
