import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { withChecksum } from '../codec/checksum.ts';
import { LevelStore } from '../key-value/level-store.ts';
import { LAYOUT } from '../layout.ts';
import { bodyFilesIn, bodyPath } from './body-files.ts';
import { liesInFile } from './body-records.ts';
import { BodyStore, bodiesOf } from './body-store.ts';
import { scrubBodies } from './scrub-bodies.ts';

await init();

const IDS = 6;
const SIZES = [50, 3_000, 9_000];
const FILE_BYTES = 20_000;

interface Step {
  /** Without a size the body is deleted. */
  readonly changes: readonly { readonly id: number; readonly size: number | null }[];
  readonly how: 'synced' | 'unsynced' | 'beside';
  /** Closing names no pending body; a crash also leaves half of another one. */
  readonly next: 'go on' | 'crash' | 'reopen';
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    changes: fc.array(
      fc.record({
        id: fc.integer({ min: 1, max: IDS }),
        size: fc.option(fc.constantFrom(...SIZES)),
      }),
      { maxLength: 4 },
    ),
    how: fc.constantFrom('synced' as const, 'unsynced' as const, 'beside' as const),
    next: fc.constantFrom('go on' as const, 'go on' as const, 'crash' as const, 'reopen' as const),
  }),
  { maxLength: 30 },
);

function bodyKey(id: number): Uint8Array {
  return new Uint8Array(49).fill(id).fill(LAYOUT.blockBodies.prefix, 0, 1);
}

async function open(directory: string): Promise<BodyStore> {
  const level = await LevelStore.open(directory);
  return await BodyStore.open(level, directory, { bodyFileBytes: FILE_BYTES });
}

function operationsOf({ changes }: Step, version: number) {
  return changes.map(({ id, size }) => {
    const key = bodyKey(id);
    if (size === null) return { type: 'del', key } as const;
    const value = withChecksum(key, new Uint8Array(size).fill(version));
    return { type: 'put', key, value } as const;
  });
}

/** Leaves what a crash may leave that happens while bodies are appended. */
function tear(directory: string): void {
  const bodies = bodiesOf(directory);
  mkdirSync(bodies, { recursive: true });
  const newest = bodyFilesIn(bodies).at(-1) ?? 0;
  for (const file of [newest, newest + 1].filter((one) => one > 0))
    appendFileSync(bodyPath(bodies, file), new Uint8Array(777).fill(LAYOUT.blockBodies.prefix));
}

async function expectLike(store: BodyStore, model: ReadonlyMap<string, Buffer>): Promise<void> {
  for (let id = 1; id <= IDS; id++) {
    const found = store.getSync(bodyKey(id));
    const expected = model.get(String(id));
    assert.deepEqual(found === undefined ? undefined : Buffer.from(found), expected);
  }
}

test('bodies are those of a model whatever is written how, through crashes, and no file outlives what it holds', async (t) => {
  const run = async (plan: readonly Step[]): Promise<void> => {
    const directory = temporaryDirectory(t);
    let store = await open(directory);
    /** What readers see, and what a crash would leave. */
    let seen = new Map<string, Buffer>();
    let named = new Map<string, Buffer>();
    for (const [version, step] of plan.entries()) {
      const isBeside = step.how === 'beside';
      const operations = operationsOf(step, version + 1).filter(
        (operation) => !isBeside || (operation.type === 'put' && liesInFile(operation.value)),
      );
      for (const operation of operations) {
        const id = String(operation.key[1]);
        if (operation.type === 'del') seen.delete(id);
        else seen.set(id, Buffer.from(operation.value));
      }
      await store.write(operations, { sync: step.how === 'synced', isBeside });
      if (!isBeside) named = new Map(seen);
      await expectLike(store, seen);
      if (step.next === 'go on') continue;
      await store.close();
      if (step.next === 'crash') tear(directory);
      store = await open(directory);
      seen = new Map(named);
      await expectLike(store, seen);
    }
    const deletions = Array.from({ length: IDS }, (_, at) => {
      return { type: 'del', key: bodyKey(at + 1) } as const;
    });
    await store.write(deletions, { sync: true });
    await store.write(
      [
        {
          type: 'put',
          key: bodyKey(1),
          value: withChecksum(bodyKey(1), new Uint8Array(FILE_BYTES)),
        },
      ],
      { sync: true },
    );
    await store.write(
      [
        {
          type: 'put',
          key: bodyKey(2),
          value: withChecksum(bodyKey(2), new Uint8Array(FILE_BYTES)),
        },
      ],
      { sync: true },
    );
    assert.ok(bodyFilesIn(bodiesOf(directory)).length <= 2);
    await store.close();
    await scrubBodies(directory, { pieceBytes: 1 << 20, pause: async () => true });
  };
  await fc.assert(fc.asyncProperty(steps, run), { numRuns: 100 });
});
