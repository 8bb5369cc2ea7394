import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { LABELS } from 'svc-wasm/base';
import { BLOCK_BODY_BYTES_MAX, hashLabel } from 'svc-wasm/protocol';
import { hashBody } from './peer-network.ts';

await init();

const LENGTHS = [0, 1, 116, 117, 118, 28_000, BLOCK_BODY_BYTES_MAX];

test('roots of bodies that are hashed at the same time are those of the kernel', async () => {
  const bodies = LENGTHS.map((length) => new Uint8Array(length).fill(length));
  const roots = await Promise.all(bodies.map((body) => hashBody(body)));
  assert.deepEqual(
    roots,
    bodies.map((body) => hashLabel(LABELS.body, body)),
  );
  assert.deepEqual(await hashBody(new Uint8Array(BLOCK_BODY_BYTES_MAX + 1)), new Uint8Array(0));
});
