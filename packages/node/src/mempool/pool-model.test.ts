/**
 * The pool against a list that is searched from end to end: whatever comes, leaves or is pushed out, both hold
 * the same, and the disk holds it too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from 'svc-base/testing';
import type { CutResult } from 'svc-ledger';
import { outpointKey } from 'svc-ledger';
import type { FinalizedCut, RemovalReason } from 'svc-serve/ports';
import { MemoryStore } from 'svc-storage';
import { leavingWith, PoolContents, roomFor } from './pool-contents.ts';
import { PoolStore } from './pool-store.ts';
import type { SubmittedTransaction } from './pooled-transaction.ts';
import { compareRates } from './rate-order.ts';
import { replacementFault } from './replacement.ts';
import { selectTransactions } from './select.ts';
import { nameOf, SeededRandom, testSubmitted } from './testing/transactions.ts';

const LIMITS = { transactions: 12, bytes: 9_000, mass: 20_000n };
const OUTPUTS = 30;
const INTERVAL = 500;
const MIN_FEE_PER_MASS = 1n;

interface Waiting {
  readonly submitted: SubmittedTransaction;
  readonly fee: bigint;
  readonly receivedAtMillis: number;
}

const worth = (a: Waiting, b: Waiting): number =>
  compareRates(rateOf(b), rateOf(a)) ||
  Number(a.submitted.origin === 'own') - Number(b.submitted.origin === 'own') ||
  b.receivedAtMillis - a.receivedAtMillis;

function rateOf({ fee, submitted }: Waiting) {
  return { fee, mass: submitted.transaction.mass };
}

class Model {
  waiting: Waiting[] = [];

  spenderOf(outpoint: string): Waiting | undefined {
    return this.waiting.find(({ submitted }) => submitted.outpoints.includes(outpoint));
  }

  isOver(extra: SubmittedTransaction): boolean {
    const all = [...this.waiting.map(({ submitted }) => submitted), extra];
    const bytes = all.reduce((sum, { wire }) => sum + wire.length, 0);
    const mass = all.reduce((sum, { transaction }) => sum + transaction.mass, 0n);
    return all.length > LIMITS.transactions || bytes > LIMITS.bytes || mass > LIMITS.mass;
  }

  #replaces(newcomer: Waiting, rivals: readonly Waiting[]): boolean {
    const paid = rivals.reduce((sum, { fee }) => sum + fee, 0n);
    const own = newcomer.submitted.transaction.mass * MIN_FEE_PER_MASS;
    const isBetter = rivals.every((rival) => compareRates(rateOf(newcomer), rateOf(rival)) < 0);
    return rivals.length === 0 || (isBetter && newcomer.fee >= paid + own);
  }

  /** Takes it in or not; who was pushed out or replaced. */
  insert(newcomer: Waiting): string[] | undefined {
    const { submitted } = newcomer;
    const before = this.waiting;
    const rivals = new Set<Waiting>();
    for (const outpoint of submitted.outpoints) {
      const rival = this.spenderOf(outpoint);
      if (rival !== undefined) rivals.add(rival);
    }
    if (!this.#replaces(newcomer, [...rivals])) return undefined;
    this.waiting = this.waiting.filter((one) => !rivals.has(one));
    const evicted = [...rivals].map((rival) => rival.submitted.id);
    while (this.isOver(submitted)) {
      const [least] = this.waiting.toSorted(worth);
      const isWorse =
        least !== undefined &&
        worth({ ...least, receivedAtMillis: 0 }, { ...newcomer, receivedAtMillis: 0 }) < 0;
      if (!isWorse) {
        this.waiting = before;
        return undefined;
      }
      this.waiting = this.waiting.filter((one) => one !== least);
      evicted.push(least.submitted.id);
    }
    this.waiting = [...this.waiting, newcomer];
    return evicted;
  }

  cut(height: number, spent: ReadonlyMap<string, string>): Map<string, RemovalReason> {
    const left = new Map<string, RemovalReason>();
    for (const { submitted } of this.waiting) {
      const spenders = submitted.outpoints.map((outpoint) => spent.get(outpoint));
      const found = spenders.filter((spender) => spender !== undefined);
      if (found.length > 0)
        left.set(submitted.id, found.includes(submitted.id) ? 'finalized' : 'conflict');
      else if (submitted.transaction.validUntilHeight === BigInt(height))
        left.set(submitted.id, 'expired');
    }
    this.waiting = this.waiting.filter(({ submitted }) => !left.has(submitted.id));
    return left;
  }
}

/** The system under test: the pool with its disk, and a clock. */
class System {
  readonly disk = new MemoryStore();
  readonly contents: PoolContents;
  readonly left = new Map<string, RemovalReason>();
  readonly clock = new ManualClock(1_000);
  height = 0;

  constructor() {
    const store = new PoolStore(this.disk, (error) => assert.ifError(error));
    this.contents = new PoolContents(store, this.clock, LIMITS);
    this.contents.removed.on(({ pooled, reason }) => void this.left.set(pooled.id, reason));
  }

  async insert(submitted: SubmittedTransaction, fee: bigint): Promise<boolean> {
    const { index, limits } = this.contents;
    const isRefused =
      replacementFault(index, submitted, fee, MIN_FEE_PER_MASS) !== null ||
      roomFor(index, limits, submitted, fee) === undefined;
    if (isRefused) return false;
    const spent = submitted.outpoints.map(() => ({ address: `00${nameOf(77)}`, amount: 1n }));
    const checked = { type: 'checked', height: this.height, spent, owner: null, fee } as const;
    await this.contents.insert(submitted, checked);
    return true;
  }

  cut(spent: ReadonlyMap<string, string>): void {
    this.height++;
    const changes = [...spent].map(([key, transactionId]) => ({
      table: 'spent',
      key,
      before: undefined,
      after: { transactionId, height: this.height },
    }));
    const result = { changes, events: { outcomes: [] } } as unknown as CutResult;
    const cut = { height: this.height, result } as FinalizedCut;
    this.contents.remove(leavingWith(this.contents.index, cut));
  }
}

async function compare(model: Model, { contents, disk }: System): Promise<void> {
  const { index } = contents;
  const names = (entries: Iterable<{ readonly id: string }>) =>
    [...entries].map(({ id }) => id).sort();
  const expected = names(model.waiting.map(({ submitted }) => submitted));
  assert.deepEqual(names(index.order), expected);
  assert.equal(index.size, expected.length);
  const wires = model.waiting.map(({ submitted }) => submitted.wire.length);
  assert.equal(
    index.bytes,
    wires.reduce((sum, length) => sum + length, 0),
  );
  for (let output = 0; output < OUTPUTS; output++) {
    const outpoint = outpointKey({ transactionId: nameOf(output), outputIndex: 0 });
    assert.equal(index.spenderOf(outpoint)?.id, model.spenderOf(outpoint)?.submitted.id);
  }
  for (const address of new Set(
    model.waiting.flatMap(({ submitted }) =>
      submitted.transaction.outputs.map((output) => output.address),
    ),
  )) {
    const paid = model.waiting.filter(({ submitted }) =>
      submitted.transaction.outputs.some((output) => output.address === address),
    );
    assert.deepEqual(
      names(index.addresses.touching(address)),
      names(paid.map(({ submitted }) => submitted)),
    );
  }
  await contents.store.settled();
  const stored = await new PoolStore(disk, assert.ifError).load();
  assert.deepEqual(names(stored.records), expected);
}

function checkSelection({ contents, height }: System, seed: number): void {
  const random = new SeededRandom(seed);
  const ports = { order: contents.index.order, random, height, cutIntervalMillis: INTERVAL };
  const options = { maxTransactions: 6, maxBytes: 4_000, maxMass: 9_000n };
  const selected = selectTransactions(ports, options);
  const outpoints = selected.flatMap((pooled) => pooled.outpoints);
  assert.equal(new Set(outpoints).size, outpoints.length);
  assert.ok(selected.length <= 6);
  assert.ok(selected.reduce((sum, { wire }) => sum + wire.length, 0) <= 4_000);
  assert.ok(selected.reduce((sum, { mass }) => sum + mass, 0n) <= 9_000n);
  selected.forEach((pooled, place) => {
    const before = selected[place - 1];
    assert.ok(before === undefined || compareRates(before, pooled) <= 0);
  });
}

const shape = fc.record({
  spends: fc.uniqueArray(fc.nat(OUTPUTS - 1), { minLength: 1, maxLength: 3 }),
  origin: fc.constantFrom('own' as const, 'relayed' as const),
  fee: fc.bigInt(1n, 12n).map((thousands) => thousands * 1_000n),
  mass: fc.constantFrom(1_000n, 2_000n, 3_000n),
  bytes: fc.integer({ min: 200, max: 2_000 }),
  lives: fc.integer({ min: 1, max: 6 }),
  millis: fc.nat(400),
});

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('insert' as const), shape }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('cut' as const),
      executed: fc.array(fc.nat(11), { maxLength: 3 }),
      foreign: fc.array(fc.nat(OUTPUTS - 1), { maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('select' as const), seed: fc.nat(1_000) }),
  },
);

test('the pool holds what a plain list would hold, in memory and on the disk', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }),
      async (steps) => {
        const model = new Model();
        const system = new System();
        let name = 1_000;
        for (const one of steps) {
          if (one.type === 'select') {
            checkSelection(system, one.seed);
            continue;
          }
          system.left.clear();
          if (one.type === 'insert') {
            const { fee, lives, millis, ...rest } = one.shape;
            system.clock.advance(millis);
            const validUntil = BigInt(system.height + lives);
            const submitted = testSubmitted({ ...rest, name: name++, validUntil });
            const receivedAtMillis = name;
            const evicted = model.insert({ submitted, fee, receivedAtMillis });
            assert.equal(await system.insert(submitted, fee), evicted !== undefined);
            assert.deepEqual([...system.left.keys()], evicted ?? []);
            assert.ok([...system.left.values()].every((reason) => reason === 'evicted'));
          } else {
            const spent = new Map<string, string>();
            for (const output of one.foreign)
              spent.set(outpointKey({ transactionId: nameOf(output), outputIndex: 0 }), nameOf(1));
            for (const place of one.executed) {
              const { submitted } = model.waiting[place] ?? {};
              const isFree = submitted?.outpoints.every((outpoint) => !spent.has(outpoint));
              if (submitted === undefined || isFree !== true) continue;
              for (const outpoint of submitted.outpoints) spent.set(outpoint, submitted.id);
            }
            system.cut(spent);
            assert.deepEqual(
              new Map([...system.left].sort()),
              new Map([...model.cut(system.height, spent)].sort()),
            );
          }
          await compare(model, system);
        }
      },
    ),
    { numRuns: 60, seed: 20_261 },
  );
});
