/**
 * A million delegations to one validator: its removal beside the removal of a validator with ten, and the cuts around
 * the end of an epoch beside their own mean. Size 1 is a million delegations.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyCut, type CutResult } from 'svc-ledger';
import type { LedgerStore } from 'svc-storage';
import { init } from 'svc-wasm';
import { type BenchOptions, compare, formatTime, type Row } from './harness.ts';
import { EPOCH_CUTS, FEW, StakeFixture } from './stake-fixture.ts';

const DELEGATIONS = 1_000_000;
const SMOKE_DELEGATIONS = 2_000;
const REMOVAL_TIMES_MAX = 1.2;
const CUT_TIMES_MAX = 1.5;
const CUTS = 400;
const SMOKE_CUTS = 5;
/** Cuts that meet cold code. */
const WARM_CUTS = 20;
/** A cut is applied so often; the least processor time counts, as a busy machine disturbs single ones. */
const REPEATS = 5;

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const delegations = options.smoke ? SMOKE_DELEGATIONS : Math.round(DELEGATIONS * options.size);
  const directory = mkdtempSync(join(tmpdir(), 'svc-stake-bench-'));
  try {
    const fixture = new StakeFixture(join(directory, 'store'), delegations);
    await fixture.build();
    const store = await fixture.open();
    try {
      await makeCuts(store, fixture, 1);
      const removal = removalRow(store, fixture, options);
      return [removal, await epochRow(store, fixture, options)];
    } finally {
      await store.close();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Makes empty cuts up to a height. */
async function makeCuts(store: LedgerStore, fixture: StakeFixture, until: number): Promise<void> {
  for (let height = (store.head?.height ?? 0) + 1; height <= until; height++) {
    const input = fixture.cut(height);
    const result = applyCut(fixture.ports(store), store.view, input);
    await fixture.commit(store, input, result);
  }
}

function removalRow(store: LedgerStore, fixture: StakeFixture, options: BenchOptions): Row {
  const remove = (validatorId: string): void => {
    const input = fixture.cut(2, validatorId);
    const { burns } = applyCut(fixture.ports(store), store.view, input).events;
    if (burns.length !== 1) throw new Error('nothing was burned');
  };
  return compare(
    {
      name: `ledger::removal/delegations=${fixture.delegations}`,
      ours: { name: `${fixture.delegations} delegations`, run: () => remove(fixture.many) },
      peer: { name: `${FEW} delegations`, run: () => remove(fixture.few) },
      limit: 1 / REMOVAL_TIMES_MAX,
      operations: 5,
      rounds: 40,
    },
    { ...options, size: 1 },
  );
}

async function epochRow(
  store: LedgerStore,
  fixture: StakeFixture,
  { smoke }: BenchOptions,
): Promise<Row> {
  const times: number[] = [];
  let paid = 0;
  await makeCuts(store, fixture, EPOCH_CUTS - 2);
  const last = EPOCH_CUTS + (smoke ? SMOKE_CUTS : CUTS);
  for (let height = EPOCH_CUTS - 1; height <= last; height++) {
    const input = fixture.cut(height);
    let least = Number.POSITIVE_INFINITY;
    let result: CutResult | undefined;
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const before = process.threadCpuUsage();
      result = applyCut(fixture.ports(store), store.view, input);
      const { user, system } = process.threadCpuUsage(before);
      least = Math.min(least, 1_000 * (user + system));
    }
    if (result === undefined) throw new Error('no cut was applied');
    paid += result.events.stakePayouts.length;
    times.push(least);
    await fixture.commit(store, input, result);
  }
  const judged = smoke ? times : [...times.slice(0, 2), ...times.slice(2 + WARM_CUTS)];
  const mean = judged.reduce((sum, time) => sum + time, 0) / judged.length;
  const most = Math.max(...judged);
  return {
    name: `ledger::epoch-end/delegations=${fixture.delegations}`,
    ours: `${formatTime(most)} the slowest of ${judged.length} cuts (${paid} positions paid)`,
    peer: `${formatTime(mean)} the mean; at most ${CUT_TIMES_MAX} times that`,
    ratio: (CUT_TIMES_MAX * mean) / most,
    limit: 1,
  };
}
