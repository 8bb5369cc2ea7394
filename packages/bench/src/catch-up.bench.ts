/**
 * A chain of nearly empty cuts installed in a directory as a node that catches up does it: in groups that become
 * durable together, beside one durable write for each cut. Rounds alternate in one run, so that a busy machine
 * slows both; what counts is the best round of each. Peers and their certificates are left out: the cuts lie ready
 * and one certificate vouches for many.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { ChainCore, type CutToInstall } from 'svc-node/chain';
import { ChainFixture, cutToInstall } from 'svc-node/testing';
import type { BenchOptions, Row } from './harness.ts';

const CUTS = 600;
const SMOKE_CUTS = 40;
const ROUNDS = 3;
/** Cuts that are handed over at once, with one certificate. */
const VOUCHED_CUTS = 64;
/** Groups must be at least so many times as fast; the wait for the disk differs between machines. */
const LIMIT = 1.5;

async function makeCuts(fixture: ChainFixture, count: number): Promise<CutToInstall[]> {
  await fixture.runTo(count);
  const cuts: CutToInstall[] = [];
  while (cuts.length < count) cuts.push(await cutToInstall(fixture, cuts.length + 1));
  return cuts;
}

/** Cuts that a fresh chain installs in a second. */
async function rateOf(
  fixture: ChainFixture,
  cuts: readonly CutToInstall[],
  installsInGroups: boolean,
): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-catch-up-'));
  const chain = await ChainCore.open({
    directory,
    genesis: fixture.genesis,
    mode: 'archive',
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    onFatal: (error) => {
      throw error;
    },
    installsInGroups,
  });
  try {
    const began = performance.now();
    for (let from = 0; from < cuts.length; from += VOUCHED_CUTS)
      await install(chain, cuts.slice(from, from + VOUCHED_CUTS));
    if (chain.head.cutId !== fixture.head.cutId) throw new Error('the chains differ');
    return (1_000 * cuts.length) / (performance.now() - began);
  } finally {
    await chain.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function install(chain: ChainCore, cuts: readonly CutToInstall[]): Promise<void> {
  const last = cuts.at(-1);
  if (last === undefined || last.certificate === null) throw new Error('a certificate is missing');
  await chain.vouch(
    cuts.map(({ header }) => header),
    last.certificate,
  );
  const bare = cuts.map((cut) => (cut === last ? cut : { ...cut, certificate: null }));
  for (const { type } of await Promise.all(bare.map((cut) => chain.install(cut))))
    if (type !== 'installed') throw new Error(`a cut was ${type}`);
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  const fixture = await ChainFixture.create({ validators: 4 });
  const count = options.smoke ? SMOKE_CUTS : Math.ceil(CUTS * options.size);
  const cuts = await makeCuts(fixture, count);
  let [grouped, single] = [0, 0];
  for (let round = 0; round < (options.smoke ? 1 : ROUNDS); round++) {
    grouped = Math.max(grouped, await rateOf(fixture, cuts, true));
    single = Math.max(single, await rateOf(fixture, cuts, false));
  }
  await fixture.close();
  return [
    {
      name: `installing ${count} empty cuts in a directory`,
      ours: `${Math.round(grouped)} cuts a second, durable in groups`,
      peer: `${Math.round(single)} cuts a second, each durable by itself`,
      ratio: grouped / single,
      limit: LIMIT,
    },
  ];
}
