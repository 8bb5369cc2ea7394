/**
 * Labels and contexts, what each label gives for the same data, and varints.
 */
import { fromHex, toHex } from '../../src/base/bytes.ts';
import { CONTEXTS, LABELS } from '../../src/base/labels.ts';
import { Reader } from '../../src/base/reader.ts';
import { Writer } from '../../src/base/writer.ts';
import { hashLabel } from '../../src/kernel/hash-label.ts';
import { refusedBytes } from './refused.ts';

const DATA = Uint8Array.from({ length: 100 }, (_, index) => index);
const VARINTS = [0, 1, 127, 128, 300, 16_383, 16_384, 2 ** 21, 2 ** 28 - 1, 2 ** 28, 2 ** 32 - 1];

function readVarint(bytes: Uint8Array): void {
  const reader = new Reader(bytes, 'varint');
  reader.varint();
  reader.end();
}

function refusedVarints(): object[] {
  return refusedBytes('varint_hex', readVarint, {
    'zero in two bytes': fromHex('8000'),
    '127 in two bytes': fromHex('ff00'),
    'one in five bytes': fromHex('8180808000'),
    '2^32': fromHex('8080808010'),
    'six bytes': fromHex('808080808001'),
    'the last byte is missing': fromHex('80'),
    nothing: fromHex(''),
    'a byte too many': fromHex('0100'),
  });
}

export function hashingVectors(): object {
  return {
    note: 'H(label, data) = SHA-384(label | data) of section 1 of docs/protocol.md, for every label over the same data and over nothing, the context strings of signatures, and varints.',
    data_hex: toHex(DATA),
    labels: Object.values(LABELS).map((label) => ({
      label,
      of_data: toHex(hashLabel(label, DATA)),
      of_nothing: toHex(hashLabel(label)),
    })),
    contexts: Object.values(CONTEXTS),
    varints: VARINTS.map((value) => ({
      value: String(value),
      varint_hex: toHex(new Writer().varint(value).finish()),
    })),
    refused_varints: refusedVarints(),
  };
}
