/**
 * The frozen vectors of validators, met by the code, and their log and sign states read a second
 * time from `docs/protocol.md` with zlib's CRC-32.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { readLog } from 'svc-base/pure';
import { decodeSignState } from '../../../src/machine/signer/sign-state-codec.ts';
import {
  MESSAGE_DIGESTS_URL,
  textOfMessageDigests,
  textOfValidatorVectors,
  VALIDATOR_VECTORS_URL,
} from './file.ts';

const text = readFileSync(VALIDATOR_VECTORS_URL, 'utf8');
const vectors = JSON.parse(text);
const hex = (value: string): Buffer => Buffer.from(value, 'hex');

test('validators.json is what the code makes', () => {
  assert.ok(text === textOfValidatorVectors(), 'validators.json differs from what the code makes');
});

test('every message between validators encodes to bytes with the frozen digest, and decodes from them', () => {
  assert.equal(textOfMessageDigests(), readFileSync(MESSAGE_DIGESTS_URL, 'utf8'));
});

test('the log: records one after the other, checksums by zlib', () => {
  const log = hex(vectors.log_hex);
  let at = 0;
  for (const [index, { payload_hex }] of vectors.inputs.entries()) {
    const payload = hex(payload_hex);
    const head = [0, 4, 8, 12, 16].map((offset) => log.readUInt32LE(at + offset));
    const checksum = (crc32(log.subarray(at + 4, at + 16)) ^ crc32(payload)) >>> 0;
    assert.deepEqual(head, [0x4c415653, index, index < 2 ? 0 : 2, payload.length, checksum]);
    assert.deepEqual(log.subarray(at + 20, at + 20 + payload.length), payload);
    at += 20 + payload.length;
  }
  assert.equal(at, log.length);
  const reading = readLog(log);
  assert.ok(reading.type === 'read' && reading.records.length === vectors.inputs.length);
});

test('sign states: a checksum over everything before it', () => {
  for (const { sign_state_hex } of vectors.sign_states) {
    const bytes = hex(sign_state_hex);
    const end = bytes.length - 4;
    assert.equal(bytes.readUInt32LE(end), crc32(bytes.subarray(0, end)));
    assert.ok(decodeSignState(bytes) !== undefined);
    for (let at = 0; at < bytes.length; at += 97) {
      const damaged = Uint8Array.from(bytes);
      damaged[at] = (damaged[at] as number) ^ 1;
      assert.equal(decodeSignState(damaged), undefined);
    }
  }
});
