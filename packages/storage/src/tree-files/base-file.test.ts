import assert from 'node:assert/strict';
import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { assertSameTrees, TreeLedger } from '../../test/testing/tree-ledger.ts';
import { type BaseName, baseEnd, basePieces, readBase } from './base-file.ts';
import { BaseWriter } from './base-writer.ts';
import { Checksum } from './file-bytes.ts';

await init();

const NAME: BaseName = { lineage: Buffer.alloc(16, 3), generation: 5 };
const CUT = { cutId: '11'.repeat(48), stateRoot: '22'.repeat(48) };
const NO_LOG = { bytes: 0, checksum: 0 };
const PIECE_BYTES = 2_000;

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
        const ledger = new TreeLedger();
        const { trees } = ledger;
        const changes: Uint32Array[] = [];
        const pieces: Uint8Array[] = [];
        let reading: Generator<Uint8Array, void> | undefined;
        let lengthBefore = 0;
        let isRead = false;
        const read = (): void => {
          const piece = reading?.next();
          if (piece?.done === true) {
            // What is staged from now on, and reverted, is of no interest.
            if (!isRead) trees.noteChanges('staged');
            isRead = true;
          } else if (piece !== undefined) pieces.push(piece.value.slice());
        };
        const end = (): void => {
          ledger.write();
          if (reading === undefined) return;
          changes.push(trees.takeChanges().slice());
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
            trees.noteChanges('all');
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
        assertSameTrees(found, trees);
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
  const ledger = new TreeLedger();
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

test('a base that was written while a cut was staged is right with what was noted when that was reverted', async (t) => {
  const path = join(temporaryDirectory(t), 'trees');
  const ledger = new TreeLedger();
  const { trees } = ledger;
  trees.pin(trees.stage(ledger.changes(200, [])));
  ledger.write();
  trees.commit();
  trees.noteChanges('all');
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
  assertSameTrees(found, trees);
});
