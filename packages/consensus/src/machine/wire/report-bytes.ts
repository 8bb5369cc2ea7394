/**
 * Reports about the signed messages of a height, and pairs of conflicting messages, as bytes. Reports are not signed:
 * a false one costs its author only the messages that it is sent.
 */
import { Reader, SvcError, Writer } from 'svc-wasm/base';
import { ROUND_MAX } from '../base/limits.ts';
import type { MessageKind, SignedMessage } from '../base/messages.ts';
import type { Height, Value } from '../base/types.ts';
import { NIL, NO_ROUND } from '../base/types.ts';
import type { DigestEntry, VoteDigest } from '../evidence/vote-memory.ts';
import { DIGEST_ENTRIES_MAX } from '../evidence/vote-memory.ts';
import { decodeEvidence } from './evidence-bytes.ts';
import type { WireContext } from './wire-context.ts';
import { cutIdBytes, cutIdFrom, heightFrom, ID_BYTES, roundFrom } from './wire-context.ts';

/** Digests that one report has. */
export const REPORT_DIGESTS_MAX = 4;
/** Digests of the receiver that one report acknowledges. */
export const REPORT_HEARD_MAX = 8;

/** The digest that was processed. */
export interface HeardDigest {
  readonly height: Height;
  readonly version: number;
}

/** A report of the signed messages of earlier heights, and which reports of the receiver were processed. */
export interface VoteReport {
  readonly kind: 'voteReport';
  readonly digests: readonly VoteDigest[];
  readonly heard: readonly HeardDigest[];
}

/** Two messages of one validator that contradict each other. */
export interface EvidenceMessage {
  readonly kind: 'evidence';
  readonly first: SignedMessage;
  readonly second: SignedMessage;
}

const KINDS: readonly MessageKind[] = ['proposal', 'prevote', 'precommit'];
const ENTRY_BYTES_MAX = 1 + 4 + 4 + 1 + ID_BYTES + 8;
const HEARD_BYTES = 8 + 4;
const COUNT_BYTES_MAX = 3;
export const REPORT_BYTES_MAX: number =
  2 +
  REPORT_DIGESTS_MAX * (HEARD_BYTES + COUNT_BYTES_MAX + DIGEST_ENTRIES_MAX * ENTRY_BYTES_MAX) +
  REPORT_HEARD_MAX * HEARD_BYTES;

export function encodeReport({ digests, heard }: VoteReport): Uint8Array {
  const writer = new Writer().u8(digests.length);
  for (const { height, version, entries } of digests) {
    writer.u64(BigInt(height)).u32(version).varint(entries.length);
    for (const entry of entries) writeEntry(writer, entry);
  }
  writer.u8(heard.length);
  for (const { height, version } of heard) writer.u64(BigInt(height)).u32(version);
  return writer.finish();
}

export function decodeReport(bytes: Uint8Array, path = 'report'): VoteReport {
  const reader = new Reader(bytes, path);
  const digests = readMany(reader.u8(), REPORT_DIGESTS_MAX, path, () => {
    const { height, version } = readHeard(reader, path);
    const count = reader.varint();
    const entries = readMany(count, DIGEST_ENTRIES_MAX, path, () => readEntry(reader, path));
    return { height, version, entries };
  });
  const heard = readMany(reader.u8(), REPORT_HEARD_MAX, path, () => readHeard(reader, path));
  reader.end();
  return { kind: 'voteReport', digests, heard };
}

export function decodeEvidenceMessage(
  context: WireContext,
  bytes: Uint8Array,
  path: string,
): EvidenceMessage {
  const { first, second } = decodeEvidence(context, bytes, path);
  return { kind: 'evidence', first, second };
}

function writeEntry(
  writer: Writer,
  { kind, round, validRound, value, signers }: DigestEntry,
): void {
  writer.u8(KINDS.indexOf(kind)).u32(round).i32(validRound);
  writer.u8(value === NIL ? 0 : 1);
  if (value !== NIL) writer.raw(cutIdBytes(value));
  writer.u64(signers);
}

function readEntry(reader: Reader, path: string): DigestEntry {
  const kind = KINDS[reader.u8()];
  const round = reader.u32();
  const validRound = reader.i32();
  const flag = reader.u8();
  const isInside = round <= ROUND_MAX && validRound >= NO_ROUND && flag <= 1;
  if (kind === undefined || !isInside)
    throw new SvcError('out_of_range', 'an entry is out of its range', { path });
  const value: Value = flag === 0 ? NIL : cutIdFrom(reader.raw(ID_BYTES));
  const signers = reader.u64();
  return { kind, round: roundFrom(round), validRound: roundFrom(validRound), value, signers };
}

function readHeard(reader: Reader, path: string): HeardDigest {
  return { height: heightFrom(reader.u64(), `${path}.height`), version: reader.u32() };
}

function readMany<T>(count: number, max: number, path: string, read: () => T): T[] {
  if (count > max) throw new SvcError('out_of_range', `found ${count}, at most ${max}`, { path });
  return Array.from({ length: count }, read);
}
