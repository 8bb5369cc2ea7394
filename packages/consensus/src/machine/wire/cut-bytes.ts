/**
 * Cuts and work blocks as they travel between validators; `docs/protocol.md` 8.6. A body that does not match its
 * header is refused here, so that no other header can be blamed for it.
 */
import { equalBytes, Reader, SvcError, toHex, Writer } from 'svc-wasm/base';
import {
  BLOCK_BODY_BYTES_MAX,
  BLOCK_HEADER_BYTES,
  CUT_HEADER_BYTES,
  type CutBody,
  type CutHeader,
  cutId,
  decodeCutBody,
  decodeCutHeader,
  EVIDENCE_MAX,
  evidenceRoot,
  PROPOSAL_BYTES,
  REGISTERED_BLOCKS_MAX,
  registeredRoot,
  VOTE_BYTES,
} from 'svc-wasm/protocol';
import type { CutId } from '../base/types.ts';
import { cutIdBytes, cutIdFrom, ID_BYTES } from './wire-context.ts';

/** A cut whose header and body belong together; nothing else is checked. */
export interface EncodedCut {
  readonly value: CutId;
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  readonly fields: CutHeader;
  readonly content: CutBody;
}

/** A block's header and body, not decoded. */
export interface BlockMessage {
  readonly kind: 'block';
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

/** Asks for work blocks by id. */
export interface BlocksRequest {
  readonly kind: 'blocksRequest';
  readonly ids: readonly string[];
}

export const BLOCKS_PER_REQUEST_MAX = 8;

const COUNT_BYTES = 2;
const EVIDENCE_BYTES_MAX = 1 + 2 * (COUNT_BYTES + Math.max(VOTE_BYTES, PROPOSAL_BYTES));
export const CUT_BODY_BYTES_MAX: number =
  COUNT_BYTES + REGISTERED_BLOCKS_MAX * ID_BYTES + 1 + EVIDENCE_MAX * EVIDENCE_BYTES_MAX;
export const CUT_BYTES_MAX: number = CUT_HEADER_BYTES + CUT_BODY_BYTES_MAX;
export const BLOCK_BYTES_MAX: number = BLOCK_HEADER_BYTES + BLOCK_BODY_BYTES_MAX;

export function decodeCut(header: Uint8Array, body: Uint8Array, path = 'cut'): EncodedCut {
  const fields = decodeCutHeader(header, `${path}.header`);
  if (body.length > CUT_BODY_BYTES_MAX) {
    const message = `expected at most ${CUT_BODY_BYTES_MAX} bytes, found ${body.length}`;
    throw new SvcError('bad_length', message, { path: `${path}.body` });
  }
  const content = decodeCutBody(body, `${path}.body`);
  expectBodyOf(fields, content, path);
  return { value: cutIdFrom(cutId(header)), header, body, fields, content };
}

function expectBodyOf(fields: CutHeader, content: CutBody, path: string): void {
  const holds =
    fields.registeredCount === content.blockIds.length &&
    equalBytes(fields.registeredRoot, registeredRoot(content.blockIds)) &&
    equalBytes(fields.evidenceRoot, evidenceRoot(content.evidence));
  if (holds) return;
  const message = 'the body is not the one that the header commits to';
  throw new SvcError('bad_cut', message, { path: `${path}.body` });
}

/** `header | body` to the end. */
export function splitCut(bytes: Uint8Array, path: string): EncodedCut {
  const header = new Reader(bytes, path).raw(CUT_HEADER_BYTES);
  return decodeCut(header, bytes.slice(CUT_HEADER_BYTES), path);
}

export function expectCut(cut: EncodedCut, value: CutId, path: string): void {
  if (cut.value === value) return;
  throw new SvcError('wrong_cut', `expected the cut ${value}, found ${cut.value}`, { path });
}

export function encodeBlocksRequest(tag: number, { ids }: BlocksRequest): Uint8Array {
  checkIds(ids, 'ids');
  const writer = new Writer(2 + ids.length * ID_BYTES).u8(tag).varint(ids.length);
  for (const id of ids) writer.raw(cutIdBytes(id as CutId, 'ids'));
  return writer.finish();
}

export function decodeBlocksRequest(bytes: Uint8Array, path: string): BlocksRequest {
  const reader = new Reader(bytes, path);
  const count = reader.varint();
  checkCount(count, path);
  const ids = Array.from({ length: count }, () => toHex(reader.raw(ID_BYTES)));
  reader.end();
  checkIds(ids, path);
  return { kind: 'blocksRequest', ids };
}

function checkIds(ids: readonly string[], path: string): void {
  checkCount(ids.length, path);
  if (new Set(ids).size !== ids.length)
    throw new SvcError('not_canonical', 'an id occurs twice', { path });
}

function checkCount(count: number, path: string): void {
  if (count >= 1 && count <= BLOCKS_PER_REQUEST_MAX) return;
  const message = `expected 1 to ${BLOCKS_PER_REQUEST_MAX} ids, found ${count}`;
  throw new SvcError('out_of_range', message, { path });
}

export function encodeBlock(tag: number, { header, body }: BlockMessage): Uint8Array {
  checkBlock(header, body, 'block');
  return new Writer(1 + header.length + body.length).u8(tag).raw(header).raw(body).finish();
}

export function decodeBlock(bytes: Uint8Array, path: string): BlockMessage {
  const reader = new Reader(bytes, path);
  const header = reader.raw(BLOCK_HEADER_BYTES);
  const body = bytes.slice(BLOCK_HEADER_BYTES);
  checkBlock(header, body, path);
  return { kind: 'block', header, body };
}

function checkBlock(header: Uint8Array, body: Uint8Array, path: string): void {
  const fits = header.length === BLOCK_HEADER_BYTES && body.length <= BLOCK_BODY_BYTES_MAX;
  if (fits && body.length > 0) return;
  const message = `expected ${BLOCK_HEADER_BYTES} and 1 to ${BLOCK_BODY_BYTES_MAX} bytes, found ${header.length} and ${body.length}`;
  throw new SvcError('bad_length', message, { path });
}
