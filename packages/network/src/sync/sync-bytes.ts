/**
 * Messages of `/svc/sync/1`. Every request has its own limit on what comes back; what a node does not have is
 * left out of the answer.
 */
import { HEADERS_PER_REQUEST_MAX } from 'svc-consensus/machine';
import { fromHex, Reader, SvcError, toHex, Writer } from 'svc-wasm/base';
import { BLOCK_BODY_BYTES_MAX, BLOCK_HEADER_BYTES, CUT_HEADER_BYTES } from 'svc-wasm/protocol';
import { readHeight } from '../handshake/hello-bytes.ts';
import { RANGE_REQUEST_BYTES, STATE_PART_BYTES_MAX, STATES_BYTES_MAX } from './state-bytes.ts';

export const SYNC = {
  getHeaders: 1,
  getBodies: 2,
  getBlocks: 3,
  getSet: 4,
  getCut: 5,
  getStates: 6,
  getManifest: 7,
  getRange: 8,
  getCutIds: 9,
  headers: 64,
  body: 65,
  block: 66,
  set: 67,
  cut: 68,
  states: 69,
  part: 70,
  cutIds: 71,
} as const;

const ID_BYTES = 48;
const SIGNATURE_BYTES = 3_309;
const VALIDATORS_MAX = 64;
const CERTIFICATE_BYTES_MAX = 8 + 4 + 2 * ID_BYTES + 8 + VALIDATORS_MAX * SIGNATURE_BYTES;
/** 256 block ids and four proofs of equivocation. */
const CUT_BODY_BYTES_MAX = 2 + 256 * ID_BYTES + 1 + 4 * (1 + 2 * (2 + 3_500));
const SET_BYTES_MAX = 1 + VALIDATORS_MAX * (ID_BYTES + 1_952 + 8);
export const BODIES_PER_REQUEST_MAX = 64;
export const BLOCKS_PER_REQUEST_MAX = 64;
/** The most leaves of one list proof. */
export const IDS_PER_REQUEST_MAX = 4_096;
/** Version, length, two counts, positions and ids, and nodes on both sides of the way to a range. */
const IDS_PROOF_BYTES_MAX =
  1 + 8 + 2 + 2 + IDS_PER_REQUEST_MAX * (8 + ID_BYTES) + 2 * 48 * ID_BYTES;

export const REQUEST_LIMITS: Readonly<Record<number, number>> = {
  [SYNC.getHeaders]: 10,
  [SYNC.getBodies]: 10,
  [SYNC.getBlocks]: 1 + BLOCKS_PER_REQUEST_MAX * ID_BYTES,
  [SYNC.getSet]: ID_BYTES,
  [SYNC.getCut]: 8,
  [SYNC.getStates]: 0,
  [SYNC.getManifest]: ID_BYTES,
  [SYNC.getRange]: RANGE_REQUEST_BYTES,
  [SYNC.getCutIds]: 18,
};

export const ANSWER_LIMITS: Readonly<Record<number, number>> = {
  [SYNC.headers]: 2 + HEADERS_PER_REQUEST_MAX * CUT_HEADER_BYTES + 3 + CERTIFICATE_BYTES_MAX,
  [SYNC.body]: 8 + CUT_BODY_BYTES_MAX,
  [SYNC.block]: BLOCK_HEADER_BYTES + BLOCK_BODY_BYTES_MAX,
  [SYNC.set]: SET_BYTES_MAX,
  [SYNC.cut]: CUT_HEADER_BYTES + 3 + CUT_BODY_BYTES_MAX + 3 + CERTIFICATE_BYTES_MAX,
  [SYNC.states]: STATES_BYTES_MAX,
  [SYNC.part]: STATE_PART_BYTES_MAX,
  [SYNC.cutIds]: IDS_PROOF_BYTES_MAX,
};

export interface HeightRange {
  readonly from: number;
  readonly count: number;
}

export interface HeaderRange {
  readonly headers: readonly Uint8Array[];
  /** The certificate of the last header. */
  readonly certificate: Uint8Array;
}

/** A cut without its blocks. */
export interface CutMessage {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  readonly certificate: Uint8Array;
}

export function encodeHeightRange({ from, count }: HeightRange): Uint8Array {
  return new Writer(10).u64(BigInt(from)).u16(count).finish();
}

export function decodeHeightRange(bytes: Uint8Array, countMax: number): HeightRange {
  const reader = new Reader(bytes, 'range');
  const from = readHeight(reader, 'range.from');
  const count = reader.u16();
  reader.end();
  if (from >= 1 && count >= 1 && count <= countMax) return { from, count };
  const message = `expected 1 to ${countMax} heights above 0, found ${count} from ${from}`;
  throw new SvcError('out_of_range', message, { path: 'range' });
}

/** Ids of cuts in the list of the first `height` ids, which the header at that height commits to. */
export interface IdsRange extends HeightRange {
  readonly height: number;
}

export function encodeIdsRange({ height, from, count }: IdsRange): Uint8Array {
  return new Writer(18).u64(BigInt(height)).u64(BigInt(from)).u16(count).finish();
}

export function decodeIdsRange(bytes: Uint8Array): IdsRange {
  const reader = new Reader(bytes, 'ids');
  const height = readHeight(reader, 'ids.height');
  const from = readHeight(reader, 'ids.from');
  const count = reader.u16();
  reader.end();
  if (count >= 1 && count <= IDS_PER_REQUEST_MAX && from + count <= height)
    return { height, from, count };
  const message = `expected 1 to ${IDS_PER_REQUEST_MAX} ids below ${height}, found ${count} from ${from}`;
  throw new SvcError('out_of_range', message, { path: 'ids' });
}

export function encodeHeight(height: number): Uint8Array {
  return new Writer(8).u64(BigInt(height)).finish();
}

export function decodeHeight(bytes: Uint8Array): number {
  const reader = new Reader(bytes, 'height');
  const height = readHeight(reader, 'height');
  reader.end();
  return height;
}

export function encodeHeaderRange({ headers, certificate }: HeaderRange): Uint8Array {
  const writer = new Writer(1_024).varint(headers.length);
  for (const header of headers) writer.raw(header);
  return writer.counted(certificate).finish();
}

export function decodeHeaderRange(bytes: Uint8Array): HeaderRange {
  const reader = new Reader(bytes, 'headers');
  const count = reader.varint();
  if (count < 1 || count > HEADERS_PER_REQUEST_MAX) {
    const message = `expected 1 to ${HEADERS_PER_REQUEST_MAX} headers, found ${count}`;
    throw new SvcError('out_of_range', message, { path: 'headers' });
  }
  const headers = Array.from({ length: count }, () => reader.raw(CUT_HEADER_BYTES));
  const certificate = reader.counted(CERTIFICATE_BYTES_MAX);
  reader.end();
  return { headers, certificate };
}

/** A height and the body of its cut, as `encodeHeight` writes the one and the store keeps the other. */
export function decodeCutBodyMessage(bytes: Uint8Array): { height: number; body: Uint8Array } {
  const height = readHeight(new Reader(bytes, 'body'), 'body.height');
  return { height, body: bytes.slice(8) };
}

export function encodeCutMessage({ header, body, certificate }: CutMessage): Uint8Array {
  return new Writer(1_024).raw(header).counted(body).counted(certificate).finish();
}

export function decodeCutMessage(bytes: Uint8Array): CutMessage {
  const reader = new Reader(bytes, 'cut');
  const header = reader.raw(CUT_HEADER_BYTES);
  const body = reader.counted(CUT_BODY_BYTES_MAX);
  const certificate = reader.counted(CERTIFICATE_BYTES_MAX);
  reader.end();
  return { header, body, certificate };
}

export function encodeSetId(setId: string): Uint8Array {
  return fromHex(setId, 'setId', ID_BYTES);
}

export function decodeSetId(bytes: Uint8Array): string {
  const reader = new Reader(bytes, 'setId');
  const id = toHex(reader.raw(ID_BYTES));
  reader.end();
  return id;
}
