/**
 * Chains of empty cuts and of cuts with payments installed in a directory as a node that catches up does it: in groups
 * that become durable together, beside one durable write for each cut. Rounds alternate in one run, so that a busy
 * machine slows both; what counts is the best round of each. Peers and their certificates are left out: the cuts are
 * prepared and one certificate vouches for many. Signatures of payments count as checked, since other threads do that.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { type ExecutableTransaction, outpointKey, type StateView } from 'svc-ledger';
import { ChainCore, type CutToInstall } from 'svc-node/chain';
import { ChainFixture, cutToInstall } from 'svc-node/testing';
import type { BenchOptions, Row } from './harness.ts';

const CUTS = 600;
const SMOKE_CUTS = 40;
const PAID_CUTS = 100;
const SMOKE_PAID_CUTS = 4;
/** One of each account of the fixture; they fit into one block. */
const PAYMENTS_PER_CUT = 10;
const AMOUNT = 100_000n;
const ROUNDS = 3;
/** Cuts that are handed over at once, with one certificate. */
const VOUCHED_CUTS = 64;
/** Groups must be at least so many times as fast; the wait for the disk differs between machines. */
const LIMIT = 1.5;
/** With payments the thread's time counts, and groups must not cost it much more; the disk works meanwhile. */
const PAID_LIMIT = 0.8;

interface Pace {
  readonly cutsPerSecond: number;
  /** Processor time of this thread. */
  readonly millisPerCut: number;
}

async function makeCuts(
  fixture: ChainFixture,
  count: number,
  payments: number,
): Promise<CutToInstall[]> {
  while (fixture.head.height < count) {
    const wires: Uint8Array[] = [];
    for (let from = 0; from < payments; from++)
      wires.push(await fixture.pay(from, fixture.address((from + 1) % payments), AMOUNT));
    await fixture.cut(payments === 0 ? [] : [fixture.mine(wires)]);
  }
  const cuts: CutToInstall[] = [];
  while (cuts.length < count) cuts.push(await cutToInstall(fixture, cuts.length + 1));
  return cuts;
}

/** How fast a fresh chain installs the cuts. */
async function paceOf(
  fixture: ChainFixture,
  cuts: readonly CutToInstall[],
  installsInGroups: boolean,
): Promise<Pace> {
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
    checkAhead: { checkAhead: async (payments, view) => acceptAll(chain, payments, view) },
  });
  try {
    const used = process.threadCpuUsage();
    const began = performance.now();
    for (let from = 0; from < cuts.length; from += VOUCHED_CUTS)
      await install(chain, cuts.slice(from, from + VOUCHED_CUTS));
    if (chain.head.cutId !== fixture.head.cutId) throw new Error('the chains differ');
    const { user, system } = process.threadCpuUsage(used);
    return {
      cutsPerSecond: (1_000 * cuts.length) / (performance.now() - began),
      millisPerCut: (user + system) / 1_000 / cuts.length,
    };
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

/** Marks payments as checked whose inputs are there; the others are offered again before their cut is executed. */
function acceptAll(
  { transactions }: ChainCore,
  payments: readonly ExecutableTransaction[],
  view: StateView,
): void {
  for (const payment of payments) {
    const spent = payment.inputs.map((input) => view.get('outputs', outpointKey(input)));
    const found = spent.filter((output) => output !== undefined);
    if (found.length === spent.length) transactions.accept(payment, found, null);
  }
}

async function rowOf(
  options: BenchOptions,
  count: number,
  payments: number,
  limit: number,
): Promise<Row> {
  const fixture = await ChainFixture.create({ validators: 4 });
  const cuts = await makeCuts(fixture, count, payments);
  const paces: { readonly grouped: Pace[]; readonly single: Pace[] } = { grouped: [], single: [] };
  for (let round = 0; round < (options.smoke ? 1 : ROUNDS); round++) {
    paces.grouped.push(await paceOf(fixture, cuts, true));
    paces.single.push(await paceOf(fixture, cuts, false));
  }
  await fixture.close();
  const [grouped, single] = [bestOf(paces.grouped), bestOf(paces.single)];
  const what = payments === 0 ? 'empty cuts' : `cuts with ${payments} payments each`;
  return {
    name: `installing ${count} ${what} in a directory`,
    ours: `${Math.round(grouped.cutsPerSecond)} cuts a second, durable in groups, ${grouped.millisPerCut.toFixed(2)} ms of the thread each`,
    peer: `${Math.round(single.cutsPerSecond)} cuts a second, each durable by itself, ${single.millisPerCut.toFixed(2)} ms of the thread each`,
    ratio:
      payments === 0
        ? grouped.cutsPerSecond / single.cutsPerSecond
        : single.millisPerCut / grouped.millisPerCut,
    limit,
  };
}

/** The best of each figure: whatever else a machine does makes both worse. */
function bestOf(paces: readonly Pace[]): Pace {
  return {
    cutsPerSecond: Math.max(...paces.map(({ cutsPerSecond }) => cutsPerSecond)),
    millisPerCut: Math.min(...paces.map(({ millisPerCut }) => millisPerCut)),
  };
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  const sized = (full: number, smoke: number): number =>
    options.smoke ? smoke : Math.ceil(full * options.size);
  return [
    await rowOf(options, sized(CUTS, SMOKE_CUTS), 0, LIMIT),
    await rowOf(options, sized(PAID_CUTS, SMOKE_PAID_CUTS), PAYMENTS_PER_CUT, PAID_LIMIT),
  ];
}
