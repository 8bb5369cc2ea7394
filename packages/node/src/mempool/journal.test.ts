import assert from 'node:assert/strict';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeHeader } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import type { WriteOperation } from 'svc-storage';
import { Journal } from './journal.ts';

const EVERYTHING = { from: new Uint8Array(), to: Uint8Array.of(255) };
const HEADER_BYTES = encodeHeader('mempool journal').length;
const SMALL = { fileBytes: 400, slackBytes: 600 };

function put(name: number, bytes: number, fill = name): WriteOperation {
  return { type: 'put', key: Uint8Array.of(name), value: new Uint8Array(bytes).fill(fill) };
}

function remove(name: number): WriteOperation {
  return { type: 'del', key: Uint8Array.of(name) };
}

/** What is kept: the name, and the first byte and the length of its value. */
async function contents(journal: Journal): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for await (const entries of journal.scan(EVERYTHING)) {
    for (const [key, value] of entries) {
      assert.ok(!found.has(key[0] as number), 'a key comes once');
      found.set(key[0] as number, `${value[0]} x ${value.length}`);
    }
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

const operation = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 120 }), fc.nat(255)) },
  { weight: 2, arbitrary: fc.tuple(fc.nat(20)) },
);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.array(operation, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constant('open again' as const) },
);

test('it keeps what a map keeps, in files that do not grow beyond what is kept', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }),
      async (steps) => {
        const directory = temporaryDirectory(t);
        let journal = await Journal.open(directory, SMALL);
        const model = new Map<number, string>();
        let keptBytes = 0;
        for (const one of steps) {
          if (one === 'open again') {
            await journal.close();
            journal = await Journal.open(directory, SMALL);
            continue;
          }
          const operations = one.map(([name, bytes, fill]) =>
            bytes === undefined ? remove(name) : put(name, bytes, fill),
          );
          await journal.write(operations, { sync: false });
          for (const [name, bytes, fill] of one) {
            if (bytes === undefined) model.delete(name);
            else model.set(name, `${fill} x ${bytes}`);
          }
          keptBytes = [...model.values()].reduce(
            (sum, text) => sum + Number(text.split(' x ')[1]) + 23,
            0,
          );
          assert.ok(journal.bytes <= 2 * keptBytes + SMALL.slackBytes + SMALL.fileBytes + 900);
        }
        assert.deepEqual(await contents(journal), new Map([...model].sort(([a], [b]) => a - b)));
        await journal.close();
        rmSync(directory, { recursive: true });
      },
    ),
    { numRuns: 60 },
  );
});

test('cut off anywhere, it opens with the operations before the cut and goes on from there', async (t) => {
  const directory = temporaryDirectory(t);
  const journal = await Journal.open(directory);
  const states = [new Map<number, string>()];
  const ends = [journal.bytes];
  for (const one of [put(1, 30), put(2, 5), remove(1), put(2, 9, 7), put(3, 1)]) {
    await journal.write([one], { sync: true });
    states.push(await contents(journal));
    ends.push(journal.bytes);
  }
  await journal.close();
  const [name] = readdirSync(directory);
  const path = join(directory, name as string);
  const whole = readFileSync(path);
  for (let length = 0; length <= whole.length; length++) {
    writeFileSync(path, whole);
    truncateSync(path, length);
    const opened = await Journal.open(directory);
    const passed = Math.max(0, ends.filter((end) => end <= length).length - 1);
    assert.deepEqual(await contents(opened), states[passed], `cut at ${length}`);
    await opened.write([put(9, 2)], { sync: true });
    await opened.close();
    const again = await Journal.open(directory);
    assert.equal((await contents(again)).get(9), '9 x 2');
    await again.close();
  }
});

test('a rotten record costs that record and is told; nothing that it says is believed', async (t) => {
  const directory = temporaryDirectory(t);
  const journal = await Journal.open(directory);
  await journal.write([put(1, 10), put(2, 10), put(3, 10)], { sync: true });
  await journal.close();
  const path = join(directory, readdirSync(directory)[0] as string);
  const bytes = readFileSync(path);
  const length = (bytes.length - HEADER_BYTES) / 3;
  const second = HEADER_BYTES + length;
  for (let bit = 8 * second; bit < 8 * (second + length); bit++) {
    const damaged = Buffer.from(bytes);
    const at = bit >> 3;
    damaged[at] = (damaged[at] as number) ^ (1 << (bit & 7));
    writeFileSync(path, damaged);
    const told: object[] = [];
    const onRot = (facts: object): void => void told.push(facts);
    const opened = await Journal.open(directory, { onRot });
    assert.deepEqual([...(await contents(opened)).keys()], [1, 3], `bit ${bit}`);
    assert.deepEqual(told, [{ file: basename(path), at: second, bytes: length }]);
    await opened.close();
  }
  writeFileSync(path, bytes);
  appendFileSync(path, new Uint8Array(4_000).fill(255));
  const opened = await Journal.open(directory);
  assert.deepEqual([...(await contents(opened)).keys()], [1, 2, 3]);
  await opened.close();
});

test('what is cut off is told, and a file that changed under it is not given up', async (t) => {
  const directory = temporaryDirectory(t);
  const journal = await Journal.open(directory, { fileBytes: 30, slackBytes: 2 * HEADER_BYTES });
  await journal.write([put(1, 10), put(2, 10)], { sync: true });
  const path = join(directory, readdirSync(directory)[0] as string);
  const bytes = readFileSync(path);
  const damaged = Buffer.from(bytes);
  damaged[bytes.length - 1] = 1 ^ (bytes[bytes.length - 1] as number);
  writeFileSync(path, damaged);
  const many = Array.from({ length: 9 }, (_, at) => put(1, 10, at));
  await assert.rejects(journal.write(many, { sync: true }), /000000000001\.journal holds 0 of 1/);
  await journal.close();
  assert.ok(readdirSync(directory).includes(basename(path)), 'it is still there');
  const told: object[] = [];
  const onCutOff = (facts: object): void => void told.push(facts);
  const opened = await Journal.open(directory, { onCutOff });
  await opened.close();
  assert.deepEqual(told, [{ file: basename(path), bytes: (bytes.length - HEADER_BYTES) / 2 }]);
});

test('files from which everything has gone leave, and starts leave none behind', async (t) => {
  const directory = temporaryDirectory(t);
  for (let start = 0; start < 5; start++) await (await Journal.open(directory)).close();
  assert.equal(readdirSync(directory).length, 1);
  const journal = await Journal.open(directory, SMALL);
  for (let round = 0; round < 50; round++) {
    await journal.write([put(round, 100)], { sync: false });
    await journal.write([remove(round)], { sync: false });
  }
  assert.ok(readdirSync(directory).length <= 2, `${readdirSync(directory).length} files`);
  await journal.close();
  await assert.rejects(journal.write([put(1, 1)], { sync: true }), /closed/);
});
