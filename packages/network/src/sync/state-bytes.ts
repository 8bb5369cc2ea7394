/**
 * Messages of `/svc/sync/1` about states: which a node keeps, the manifest of one, a range of it. Manifests and ranges
 * travel in parts, so that a slow link shows that it is alive.
 */
import { fromHex, Reader, SvcError, toHex, Writer } from 'svc-wasm/base';
import type { StateOffer } from '../application.ts';
import { readHeight } from '../handshake/hello-bytes.ts';

const ID_BYTES = 48;
export const STATES_MAX = 4;
export const STATES_BYTES_MAX: number = 1 + STATES_MAX * (8 + ID_BYTES);
export const STATE_PART_BYTES_MAX: number = 1 << 18;
export const STATE_MANIFEST_BYTES_MAX: number = 16 << 20;
export const STATE_RANGE_BYTES_MAX: number = 4 << 20;
export const RANGE_REQUEST_BYTES: number = ID_BYTES + 4;

export function encodeStates(offers: readonly StateOffer[]): Uint8Array {
  const sent = offers.slice(0, STATES_MAX);
  const writer = new Writer(STATES_BYTES_MAX).u8(sent.length);
  for (const { height, manifestId } of sent)
    writer.u64(BigInt(height)).raw(fromHex(manifestId, 'manifestId', ID_BYTES));
  return writer.finish();
}

export function decodeStates(bytes: Uint8Array): StateOffer[] {
  const reader = new Reader(bytes, 'states');
  const count = reader.u8();
  if (count > STATES_MAX)
    throw new SvcError('out_of_range', `expected at most ${STATES_MAX} states, found ${count}`, {
      path: 'states',
    });
  const offers = Array.from({ length: count }, () => ({
    height: readHeight(reader, 'states.height'),
    manifestId: toHex(reader.raw(ID_BYTES)),
  }));
  reader.end();
  return offers;
}

export interface RangeRequest {
  readonly manifestId: string;
  readonly index: number;
}

export function encodeRangeRequest({ manifestId, index }: RangeRequest): Uint8Array {
  const id = fromHex(manifestId, 'manifestId', ID_BYTES);
  return new Writer(RANGE_REQUEST_BYTES).raw(id).u32(index).finish();
}

export function decodeRangeRequest(bytes: Uint8Array): RangeRequest {
  const reader = new Reader(bytes, 'range');
  const manifestId = toHex(reader.raw(ID_BYTES));
  const index = reader.u32();
  reader.end();
  return { manifestId, index };
}

/** The parts that bytes travel in. */
export function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += STATE_PART_BYTES_MAX)
    yield bytes.subarray(at, at + STATE_PART_BYTES_MAX);
}
