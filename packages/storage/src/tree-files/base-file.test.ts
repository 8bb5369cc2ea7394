import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { temporaryDirectory } from 'svc-base/testing';
import { keyAddress, type LeafChange, outpointKey, type TreeName } from 'svc-ledger';
import { init } from 'svc-wasm';
import { StateTrees } from '../trees/state-trees.ts';
import { type BaseName, baseEnd, basePieces, readBase } from './base-file.ts';
import { BaseWriter } from './base-writer.ts';
import { Checksum } from './file-bytes.ts';

await init();

const NAMES: readonly TreeName[] = ['outputs', 'positions', 'validators', 'keys'];
const NAME: BaseName = { lineage: Buffer.alloc(16, 3), generation: 5 };
const CUT = { cutId: '11'.repeat(48), stateRoot: '22'.repeat(48) };
const NO_LOG = { bytes: 0, checksum: 0 };
const PIECE_BYTES = 2_000;

const hashOf = (text: string): string => createHash('sha384').update(text).digest('hex');

function output(number: number, present: boolean): LeafChange {
  const outpoint = outpointKey({ transactionId: hashOf(`transaction ${number}`), outputIndex: 0 });
  const address = keyAddress(hashOf(`owner ${number % 40}`));
  const record = { address, amount: BigInt(number), source: 'regular' as const, height: 1 };
  return { tree: 'outputs', outpoint, output: record, present };
}

function keyRecord(number: number, value: number | undefined): LeafChange {
  const key = new Uint8Array(Buffer.from(hashOf(`key ${number}`).repeat(2), 'hex').subarray(0, 64));
  return {
    tree: 'keys',
    key,
    value: value === undefined ? undefined : Uint8Array.of(value),
    sum: 1n,
  };
}

/** Trees over a map of records, as a store has them over its database. */
class Ledger {
  readonly records = new Map<string, Uint8Array>();
  readonly trees: StateTrees = this.emptyTrees();
  readonly #unspent: number[] = [];
  readonly #kept = new Set<number>();
  #next = 1;

  emptyTrees(): StateTrees {
    return new StateTrees((tree, name) => this.records.get(nameOf(tree, name)), undefined, 2);
  }

  /** What a cut might change; nothing of it has happened. */
  changes(made: number, spent: readonly number[]): LeafChange[] {
    const places = [...new Set(spent.map((choice) => choice % (this.#unspent.length || 1)))];
    const gone = places.flatMap((place) => this.#unspent[place] ?? []);
    const fresh = Array.from({ length: made }, (_, place) => this.#next + place);
    const keys = [...new Set(spent.map((choice) => choice % 30))].map((number) =>
      keyRecord(number, this.#kept.has(number) && number % 2 === 0 ? undefined : made),
    );
    return [
      ...gone.map((number) => output(number, false)),
      ...fresh.map((number) => output(number, true)),
      ...keys,
    ];
  }

  /** It has happened. */
  accept(made: number, spent: readonly number[]): void {
    const places = new Set(spent.map((choice) => choice % (this.#unspent.length || 1)));
    const left = this.#unspent.filter((_, place) => !places.has(place));
    const fresh = Array.from({ length: made }, (_, place) => this.#next + place);
    this.#unspent.splice(0, this.#unspent.length, ...left, ...fresh);
    this.#next += made;
    for (const number of new Set(spent.map((choice) => choice % 30))) {
      if (this.#kept.has(number) && number % 2 === 0) this.#kept.delete(number);
      else this.#kept.add(number);
    }
  }

  /** Writes what the trees have changed. */
  write(): void {
    for (const { tree, name, record } of this.trees.writes().buckets) {
      if (record === undefined) this.records.delete(nameOf(tree, name));
      else this.records.set(nameOf(tree, name), record.slice());
    }
    this.trees.written();
  }
}

function nameOf(tree: number, name: Uint8Array): string {
  return `${tree} ${Buffer.from(name).toString('hex')}`;
}

/** Every bucket of a tree with its leaves. */
function bucketsOf(trees: StateTrees, name: TreeName): string[] {
  const { buckets } = trees.committed(name).tables;
  return Array.from({ length: buckets.length }, (_, bucket) => bucket)
    .filter((bucket) => buckets.leaves(bucket) > 0)
    .map((bucket) => `${nameOf(0, buckets.name(bucket))} ${buckets.leaves(bucket)}`)
    .sort();
}

function assertSame(found: StateTrees, live: StateTrees): void {
  assert.deepEqual(found.roots, live.roots);
  for (const name of NAMES) assert.deepEqual(bucketsOf(found, name), bucketsOf(live, name));
  for (const isSound of found.checkNodes(64)) assert.ok(isSound);
}

const cutOf = fc.record({
  made: fc.integer({ min: 0, max: 40 }),
  spent: fc.array(fc.nat(), { maxLength: 40 }),
  kind: fc.constantFrom('decided', 'dropped', 'deferred', 'deferred and asked for'),
  /** Pieces of the base that are read afterwards. */
  pieces: fc.nat({ max: 6 }),
});

test('rows that were read while cuts were committed, with all changes since, are the newest ones', (t) => {
  const path = join(temporaryDirectory(t), 'trees');
  let isLonger = 0;
  fc.assert(
    fc.property(
      fc.array(cutOf, { minLength: 5, maxLength: 30 }),
      fc.nat({ max: 10 }),
      (cuts, begin) => {
        const ledger = new Ledger();
        const { trees } = ledger;
        const changes: Uint32Array[] = [];
        const pieces: Uint8Array[] = [];
        let reading: Generator<Uint8Array, void> | undefined;
        let lengthBefore = 0;
        let isRead = false;
        const read = (): void => {
          const piece = reading?.next();
          if (piece?.done === true) isRead = true;
          else if (piece !== undefined) pieces.push(piece.value.slice());
        };
        const end = (): void => {
          ledger.write();
          if (reading === undefined) return;
          changes.push(trees.takeChanges().slice());
          // As soon as that covers the last row, what is taken back is of no interest.
          if (isRead) trees.noteChanges({ withUndone: false });
        };
        for (const [place, { made, spent, kind, pieces: count }] of cuts.entries()) {
          const leaves = ledger.changes(made, spent);
          if (kind === 'dropped') trees.stage(leaves);
          else {
            ledger.accept(made, spent);
            if (kind === 'decided') {
              trees.pin(trees.stage(leaves));
              end();
              trees.commit();
            } else trees.accept(trees.defer(leaves, () => {}));
            if (kind === 'deferred and asked for') trees.committed('keys');
          }
          if (place >= begin && reading === undefined) {
            trees.noteChanges({ withUndone: true });
            reading = basePieces(trees, NAME, PIECE_BYTES);
            [lengthBefore = 0] = trees.shape();
          }
          for (let left = count; left > 0; left--) read();
        }
        if (reading === undefined) return;
        while (!isRead) read();
        end();
        if (trees.committed('outputs').tables.nodes.length > lengthBefore) isLonger++;
        const sum = new Checksum();
        for (const piece of pieces) sum.add(piece);
        writeFileSync(path, Buffer.concat([...pieces, baseEnd({ cut: CUT, log: NO_LOG }, sum)]));
        const found = ledger.emptyTrees();
        const base = readBase(path, found);
        assert.deepEqual(base, { ...NAME, cut: CUT, log: NO_LOG, bytes: statSync(path).size });
        for (const some of changes) found.unpack(some);
        found.filled();
        assertSame(found, trees);
        const leaves = ledger.changes(30, [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]);
        assert.deepEqual(
          found.stage(leaves).roots,
          trees.stage(leaves).roots,
          'they can be gone on with',
        );
        found.pin(found.stage(leaves));
        found.commit();
        assert.deepEqual(found.roots, trees.stage(leaves).roots);
        for (const isSound of found.checkNodes(64)) assert.ok(isSound);
      },
    ),
    { numRuns: 150 },
  );
  assert.ok(isLonger > 20, 'the tables grew meanwhile');
});

test('a base of which a bit was flipped, or a byte is missing or too many, is not read', (t) => {
  const path = join(temporaryDirectory(t), 'trees');
  const ledger = new Ledger();
  const { trees } = ledger;
  trees.pin(trees.stage(ledger.changes(200, [])));
  ledger.write();
  trees.commit();
  const sum = new Checksum();
  const pieces = [...basePieces(trees, NAME, PIECE_BYTES)].map((piece) => piece.slice());
  for (const piece of pieces) sum.add(piece);
  const bytes = Buffer.concat([...pieces, baseEnd({ cut: CUT, log: NO_LOG }, sum)]);
  const isRead = (changed: Uint8Array): boolean => {
    writeFileSync(path, changed);
    return readBase(path, ledger.emptyTrees()) !== undefined;
  };
  assert.ok(isRead(bytes));
  for (let at = 0; at < bytes.length; at += at < 400 ? 1 : 97) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ (1 << (at % 8));
    assert.equal(isRead(changed), false, `byte ${at}`);
  }
  assert.equal(isRead(bytes.subarray(0, -1)), false);
  appendFileSync(path, Buffer.alloc(2));
  assert.equal(readBase(path, ledger.emptyTrees()), undefined);
  assert.equal(readBase(`${path}.gone`, ledger.emptyTrees()), undefined);
});

test('a base that was written while a cut was staged is right with what was noted when that was taken back', async (t) => {
  const path = join(temporaryDirectory(t), 'trees');
  const ledger = new Ledger();
  const { trees } = ledger;
  trees.pin(trees.stage(ledger.changes(200, [])));
  ledger.write();
  trees.commit();
  trees.noteChanges({ withUndone: true });
  trees.stage(ledger.changes(300, []));
  const writer = await BaseWriter.open(`${path}.new`);
  await writer.write(trees, NAME, { pieceBytes: PIECE_BYTES, pauseMillis: 0 });
  assert.equal(writer.isWhole, true);
  await writer.finish(path, { cut: CUT, log: NO_LOG });
  await writer.close();
  const found = ledger.emptyTrees();
  assert.equal(readBase(path, found)?.bytes, writer.bytes);
  trees.discard();
  found.unpack(trees.takeChanges());
  found.filled();
  assertSame(found, trees);
});
