import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromHex, toHex } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { decodeRecipientPayloads, encodeRecipientPayloads } from './recipient-payloads.ts';

function refused(code: string, call: () => unknown): void {
  assert.throws(call, (error) => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, code);
    return true;
  });
}

const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
const entry = fc.oneof(
  fc.string({ unit: character, minLength: 1, maxLength: 60 }).map((text) => ({ text })),
  fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => ({ bytes_hex: toHex(bytes) })),
);
const entries = fc
  .uniqueArray(fc.tuple(fc.nat(15), entry), {
    selector: ([index]) => index,
    minLength: 1,
    maxLength: 16,
  })
  .map((list) =>
    list
      .toSorted(([a], [b]) => a - b)
      .map(([index, data]) => ({ output_index: String(index), ...data })),
  );

test('[WASM-06] payloads for several recipients survive packing and unpacking', () => {
  fc.assert(
    fc.property(entries, (list) => {
      const payload = encodeRecipientPayloads(JSON.stringify(list));
      assert.deepEqual(JSON.parse(decodeRecipientPayloads(payload)), list);
    }),
  );
});

test('[WASM-06] the bytes of a small payload are these', () => {
  const json = '[{"output_index":"0","text":"hé"},{"output_index":"3","bytes_hex":"00ff"}]';
  const payload = encodeRecipientPayloads(json);
  assert.equal(toHex(payload), '535643500102000103' + '68c3a9' + '0302' + '0200ff');
  assert.equal(decodeRecipientPayloads(payload, 4), json);
  refused('bad_payload', () => decodeRecipientPayloads(payload, 3));
});

test('what decodes encodes back to the same bytes, everything else is refused', () => {
  const start = fromHex('5356435001');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12, max: 4 }), (tail) => {
      const payload = Uint8Array.of(...start, ...tail);
      try {
        const decoded = decodeRecipientPayloads(payload);
        assert.deepEqual(encodeRecipientPayloads(decoded), payload);
      } catch (error) {
        assert.ok(error instanceof SvcError, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test('malformed payloads are refused', () => {
  const table: readonly (readonly [string, string])[] = [
    ['bad_payload', ''],
    ['bad_payload', '53564351010100010161'],
    ['unsupported_version', '53564350020100010161'],
    ['bad_payload', '535643500100'],
    ['truncated', '535643500102' + '00010161'],
    ['trailing_bytes', '535643500101' + '00010161' + '00'],
    ['bad_payload', '535643500111' + '00010161'],
    ['bad_payload', '535643500101' + '10010161'],
    ['bad_payload', '535643500101' + '00030161'],
    ['bad_payload', '535643500101' + '000100'],
    ['bad_payload', '535643500101' + '000101ff'],
    ['bad_payload', '535643500101' + '000103eda080'],
    ['not_canonical', '535643500102' + '01010161' + '00010161'],
    ['not_canonical', '535643500102' + '01010161' + '01010161'],
    ['not_canonical', '535643500101' + '0001810061'],
  ];
  for (const [code, hex] of table) {
    refused(code, () => decodeRecipientPayloads(fromHex(hex)));
  }
  refused('bad_length', () => decodeRecipientPayloads(new Uint8Array(8193)));
  refused('bad_type', () => decodeRecipientPayloads('x' as unknown as Uint8Array));
  refused('out_of_range', () => decodeRecipientPayloads(fromHex('53564350010100010161'), 0));
  refused('out_of_range', () => decodeRecipientPayloads(fromHex('53564350010100010161'), 17));
});

test('entries that cannot be packed are refused', () => {
  const table: readonly (readonly [string, string])[] = [
    ['bad_json', '['],
    ['bad_type', '{}'],
    ['bad_payload', '[]'],
    ['bad_type', '[7]'],
    ['missing_field', '[{"text":"a"}]'],
    ['bad_type', '[{"output_index":0,"text":"a"}]'],
    ['out_of_range', '[{"output_index":"16","text":"a"}]'],
    ['bad_payload', '[{"output_index":"0"}]'],
    ['bad_payload', '[{"output_index":"0","text":"a","bytes_hex":"00"}]'],
    ['bad_payload', '[{"output_index":"0","text":""}]'],
    ['bad_hex', '[{"output_index":"0","bytes_hex":"0"}]'],
    ['unknown_field', '[{"output_index":"0","text":"a","x":1}]'],
    ['bad_payload', '[{"output_index":"1","text":"a"},{"output_index":"0","text":"a"}]'],
    ['bad_payload', '[{"output_index":"1","text":"a"},{"output_index":"1","text":"b"}]'],
  ];
  for (const [code, json] of table) refused(code, () => encodeRecipientPayloads(json));
});

test('all entries together stay within 8,192 bytes', () => {
  const of = (length: number): string =>
    JSON.stringify([{ output_index: '0', bytes_hex: '00'.repeat(length) }]);
  const overhead = 4 + 1 + 1 + 1 + 1 + 2;
  assert.equal(encodeRecipientPayloads(of(8192 - overhead)).length, 8192);
  refused('bad_length', () => encodeRecipientPayloads(of(8192 - overhead + 1)));
});
