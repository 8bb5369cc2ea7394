/**
 * Recipient payloads: the payer's notes to the receivers of outputs, packed into the one payload of a transaction.
 * They are public. Layout: `docs/protocol.md` 15.1.
 */
import { equalBytes, expectBytes, fromHex, toHex } from '../base/bytes.ts';
import { expectArray, Fields } from '../base/fields.ts';
import { expectInteger } from '../base/integer.ts';
import type { Json } from '../base/json.ts';
import { parseJson } from '../base/json.ts';
import { Reader } from '../base/reader.ts';
import { SvcError } from '../base/svc-error.ts';
import { decodeUtf8, encodeUtf8 } from '../base/utf8.ts';
import { Writer } from '../base/writer.ts';

export const PAYLOAD_BYTES_MAX = 8192;
const OUTPUTS_MAX = 16;
const MAGIC = encodeUtf8('SVCP');
const VERSION = 1;
const KINDS = { text: 1, bytes: 2 } as const;
const PATH = 'payload';

interface Entry {
  readonly outputIndex: number;
  readonly kind: keyof typeof KINDS;
  readonly data: Uint8Array;
}

/** An entry of the list that these functions take and return. */
export type RecipientPayload =
  | { readonly output_index: string; readonly text: string }
  | { readonly output_index: string; readonly bytes_hex: string };

/** Packs a list of `RecipientPayload`, by ascending output index. */
export function encodeRecipientPayloads(entriesJson: string): Uint8Array {
  const items = expectArray(parseJson(entriesJson, 'entries'), 'entries', OUTPUTS_MAX);
  const entries = items.map((item, at) => readEntry(item, `entries[${at}]`));
  checkOrder(entries, 'bad_payload');
  const writer = new Writer().raw(MAGIC).u8(VERSION).u8(entries.length);
  for (const { outputIndex, kind, data } of entries) {
    writer.u8(outputIndex).u8(KINDS[kind]).counted(data);
  }
  const payload = writer.finish();
  if (payload.length > PAYLOAD_BYTES_MAX) {
    const found = `expected at most ${PAYLOAD_BYTES_MAX} bytes in all, found ${payload.length}`;
    throw new SvcError('bad_length', found, { path: 'entries' });
  }
  return payload;
}

/**
 * Unpacks a payload into a list of `RecipientPayload`. With `outputCount`, an entry for an output that the transaction does not have is refused.
 */
export function decodeRecipientPayloads(
  payload: Uint8Array,
  outputCount: number = OUTPUTS_MAX,
): string {
  const entries = readPayload(payload);
  const last = entries.at(-1)?.outputIndex ?? 0;
  expectInteger(outputCount, 'output_count', 1, OUTPUTS_MAX);
  if (last >= outputCount) {
    throw new SvcError('bad_payload', `names output ${last} of ${outputCount}`, { path: PATH });
  }
  return JSON.stringify(entries.map(describe));
}

function readEntry(item: Json, path: string): Entry {
  const fields = new Fields(item, path, ['output_index', 'text', 'bytes_hex']);
  const outputIndex = Number(fields.decimal('output_index', { max: BigInt(OUTPUTS_MAX - 1) }));
  if (fields.has('text') === fields.has('bytes_hex')) {
    throw new SvcError('bad_payload', 'expected either text or bytes_hex', { path });
  }
  const kind = fields.has('text') ? 'text' : 'bytes';
  const data =
    kind === 'text'
      ? encodeUtf8(fields.string('text', PAYLOAD_BYTES_MAX))
      : fromHex(fields.string('bytes_hex', 2 * PAYLOAD_BYTES_MAX), fields.at('bytes_hex'));
  if (data.length === 0) throw new SvcError('bad_payload', 'expected at least one byte', { path });
  return { outputIndex, kind, data };
}

function readPayload(value: Uint8Array): Entry[] {
  const payload = expectBytes(value, PATH);
  if (payload.length > PAYLOAD_BYTES_MAX) {
    throw new SvcError('bad_length', `longer than ${PAYLOAD_BYTES_MAX} bytes`, { path: PATH });
  }
  if (!equalBytes(payload.subarray(0, MAGIC.length), MAGIC)) {
    throw new SvcError('bad_payload', 'does not begin like recipient payloads', { path: PATH });
  }
  const reader = new Reader(payload, PATH);
  reader.raw(MAGIC.length);
  const version = reader.u8();
  if (version !== VERSION) {
    throw new SvcError('unsupported_version', `expected ${VERSION}, found ${version}`, {
      path: PATH,
    });
  }
  const count = reader.u8();
  if (count > OUTPUTS_MAX) {
    throw new SvcError('bad_payload', `expected at most ${OUTPUTS_MAX} entries, found ${count}`, {
      path: PATH,
    });
  }
  const entries: Entry[] = [];
  for (let at = 0; at < count; at++) entries.push(readPacked(reader, `${PATH}[${at}]`));
  reader.end();
  checkOrder(entries, 'not_canonical');
  return entries;
}

function readPacked(reader: Reader, path: string): Entry {
  const outputIndex = reader.u8();
  const code = reader.u8();
  const data = reader.counted(PAYLOAD_BYTES_MAX);
  if (outputIndex >= OUTPUTS_MAX || data.length === 0) {
    throw new SvcError('bad_payload', 'names no possible output or holds nothing', { path });
  }
  if (code !== KINDS.text && code !== KINDS.bytes) {
    throw new SvcError('bad_payload', `expected kind 1 or 2, found ${code}`, { path });
  }
  const kind = code === KINDS.text ? 'text' : 'bytes';
  if (kind === 'text') decodeUtf8(data, path, 'bad_payload');
  return { outputIndex, kind, data };
}

function checkOrder(entries: readonly Entry[], code: 'bad_payload' | 'not_canonical'): void {
  if (entries.length === 0) {
    throw new SvcError('bad_payload', 'expected at least one entry', { path: PATH });
  }
  for (let at = 1; at < entries.length; at++) {
    const [before, entry] = [entries[at - 1], entries[at]] as [Entry, Entry];
    if (entry.outputIndex > before.outputIndex) continue;
    throw new SvcError(code, 'expected ascending output indexes, each once', {
      path: `${PATH}[${at}]`,
    });
  }
}

function describe({ outputIndex, kind, data }: Entry): RecipientPayload {
  const output_index = String(outputIndex);
  if (kind === 'bytes') return { output_index, bytes_hex: toHex(data) };
  return { output_index, text: decodeUtf8(data, PATH) };
}
