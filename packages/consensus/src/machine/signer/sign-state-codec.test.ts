import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'svc-base/pure';
import { height, round } from '../base/types.ts';
import type { SignState } from './sign-state.ts';
import { SILENT_UNTIL_CURRENT } from './sign-state.ts';
import { decodeSignState, encodeSignState, KEY_ID_BYTES } from './sign-state-codec.ts';

const STATE: SignState = {
  keyId: new Uint8Array(KEY_ID_BYTES).fill(7),
  silentThrough: SILENT_UNTIL_CURRENT,
  stopped: true,
  last: {
    height: height(0x12_3456_7890),
    round: round(0x7fff_ffff),
    step: 2,
    signedBytes: Uint8Array.of(1, 2, 3),
    signature: Uint8Array.of(4, 5),
  },
};

test('numbers are in the record as a view writes them', () => {
  const bytes = encodeSignState(STATE);
  const view = new DataView(bytes.buffer);
  assert.equal(view.getUint32(0, true), 0x5453_5653);
  assert.equal(view.getBigUint64(56, true), BigInt(SILENT_UNTIL_CURRENT));
  assert.equal(view.getBigUint64(66, true), 0x12_3456_7890n);
  assert.equal(view.getUint32(74, true), 0x7fff_ffff);
  assert.equal(view.getUint32(79, true), 3);
  assert.equal(view.getUint32(86, true), 2);
  assert.equal(view.getUint32(bytes.length - 4, true), crc32(bytes, 0, bytes.length - 4));
  assert.deepEqual(decodeSignState(bytes), STATE);
});

test('a height that is no safe number makes a record damaged', () => {
  for (const at of [56, 66]) {
    const bytes = encodeSignState(STATE);
    const view = new DataView(bytes.buffer);
    view.setBigUint64(at, BigInt(Number.MAX_SAFE_INTEGER) + 1n, true);
    view.setUint32(bytes.length - 4, crc32(bytes, 0, bytes.length - 4), true);
    assert.equal(decodeSignState(bytes), undefined, `at ${at}`);
  }
});
