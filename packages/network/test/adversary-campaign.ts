/**
 * Runs adversaries against nodes of the kit on loopback, and reports what honest users get without each of them and
 * beside it. `node tools/bootstrap.mjs packages/network/test/adversary-campaign.ts [size] [adversary …]`: size 1 and
 * all of them by default; the size multiplies how many attackers there are. Adversaries, nodes and honest users share
 * this one process, so processor time of adversaries is missing to all. It exits with 1 if honest users did not get
 * what they are owed.
 */
import { availableParallelism, loadavg } from 'node:os';
import { init } from 'svc-wasm';
import { clockJumps } from './adversaries/clock-jumps.ts';
import type { Adversary } from './adversaries/finding.ts';
import { floodOfIds } from './adversaries/flood.ts';
import { overlayJam, overlayJamOfStrangers } from './adversaries/overlay-jam.ts';
import { idlePlaces } from './adversaries/places.ts';
import { poisonedBook } from './adversaries/poisoning.ts';
import { reopenedStreams, reopenedStreamsAtLimit } from './adversaries/reopening.ts';
import { silentPeers } from './adversaries/silence.ts';
import { reconnectStorm } from './adversaries/storm.ts';

const ADVERSARIES: Readonly<Record<string, Adversary>> = {
  flood: floodOfIds,
  silence: silentPeers,
  poisoning: poisonedBook,
  places: idlePlaces,
  jam: overlayJam,
  'jam-unknown': overlayJamOfStrangers,
  reopening: reopenedStreams,
  'reopening-limit': reopenedStreamsAtLimit,
  storm: reconnectStorm,
  clocks: clockJumps,
};
const NAMES = Object.keys(ADVERSARIES);

const [sizeText = '1', ...wanted] = process.argv.slice(2);
const size = Number(sizeText);
if (!Number.isInteger(size) || size < 1) throw new Error(`${sizeText} is no size; 1 is the least`);
for (const name of wanted)
  if (!NAMES.includes(name)) throw new Error(`there is no ${name}; there are ${NAMES.join(' ')}`);

await init();
say(
  `size ${size}, Node ${process.versions.node}, ${process.arch}, ${availableParallelism()} cores`,
);
say(`load of the machine ${loadavg()[0]?.toFixed(1)}\n`);
row('adversary', 'without it', 'beside it', 'what it got', 'demanded', '');
row(...Array.from({ length: 6 }, () => '---'));
let hasFailed = false;
for (const name of wanted.length === 0 ? NAMES : wanted) {
  try {
    const finding = await (ADVERSARIES[name] as Adversary)(size);
    const { alone, beside, attacker, demand, holds } = finding;
    hasFailed ||= !holds;
    row(name, alone, beside, attacker, demand, holds ? 'holds' : 'FAILS');
  } catch (error) {
    hasFailed = true;
    row(name, '', String(error), '', '', 'FAILS');
  }
}
process.exit(hasFailed ? 1 : 0);

function row(...cells: readonly string[]): void {
  say(`| ${cells.join(' | ')} |`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
