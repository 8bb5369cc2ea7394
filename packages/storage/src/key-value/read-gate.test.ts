import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadGate } from './read-gate.ts';

/** Reads and writes that the test ends, and the order in which they began. */
class Traffic {
  readonly gate = new ReadGate();
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  read(name: string): Promise<void> {
    return this.gate.read(() => this.#begin(name));
  }

  write(name: string): Promise<void> {
    return this.gate.write(() => this.#begin(name));
  }

  compact(name: string): Promise<void> {
    return this.gate.compact(() => this.#begin(name));
  }

  async end(name: string, promise: Promise<void>): Promise<void> {
    this.#ends.get(name)?.();
    await promise;
    await settle();
  }

  #begin(name: string): Promise<void> {
    this.begun.push(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ends.set(name, resolve);
    return promise;
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

test('a read may last over one write, and the second waits for its end', async () => {
  const traffic = new Traffic();
  const old = traffic.read('old');
  const first = traffic.write('first');
  await settle();
  const beside = traffic.read('beside');
  await traffic.end('first', first);
  const second = traffic.write('second');
  await settle();
  const young = traffic.read('young');
  assert.deepEqual(traffic.begun, ['old', 'first', 'beside', 'young']);
  await traffic.end('old', old);
  assert.deepEqual(traffic.begun, ['old', 'first', 'beside', 'young']);
  await traffic.end('beside', beside);
  assert.deepEqual(traffic.begun, ['old', 'first', 'beside', 'young', 'second']);
  await traffic.end('second', second);
  await traffic.end('young', young);
});

test('writes follow each other, also after one that failed, and the revision counts them', async () => {
  const { gate } = new Traffic();
  const seen: number[] = [];
  assert.equal(gate.revision, 0);
  const failing = gate.write(async () => {
    seen.push(gate.revision);
    throw new Error('no space');
  });
  const writing = gate.write(async () => void seen.push(gate.revision));
  await assert.rejects(failing, /no space/);
  await writing;
  assert.deepEqual(seen, [1, 3]);
  assert.equal(gate.revision, 4);
});

test('a compaction waits for reads older than the last write and lets younger ones continue; writes wait for it', async () => {
  const traffic = new Traffic();
  const old = traffic.read('old');
  const first = traffic.write('first');
  await settle();
  await traffic.end('first', first);
  const { revision } = traffic.gate;
  const compacting = traffic.compact('compaction');
  const young = traffic.read('young');
  const second = traffic.write('second');
  await settle();
  assert.deepEqual(traffic.begun, ['old', 'first', 'young']);
  await traffic.end('old', old);
  const beside = traffic.read('beside');
  assert.deepEqual(traffic.begun, ['old', 'first', 'young', 'compaction', 'beside']);
  assert.equal(traffic.gate.revision, revision);
  await traffic.end('compaction', compacting);
  assert.equal(traffic.begun.at(-1), 'second');
  await traffic.end('second', second);
  const third = traffic.write('third');
  await settle();
  assert.equal(traffic.begun.at(-1), 'second');
  await traffic.end('young', young);
  await traffic.end('beside', beside);
  assert.equal(traffic.begun.at(-1), 'third');
  await traffic.end('third', third);
});
