/**
 * What travels on a link between two validators after their handshake. Targets of a message that is to be
 * passed on are named by the first eight bytes of their ids: an attacker cannot make an id that begins like
 * another's.
 */
import { WIRE_MESSAGE_BYTES_MAX } from 'svc-consensus/machine';
import { fromHex, Reader, SvcError, toHex, Writer } from 'svc-wasm/base';
import { LINK } from './link-kinds.ts';
import { RECORD_BYTES_MAX } from './record.ts';

const ID_BYTES = 48;
export const TARGET_HEX = 16;
const TARGET_BYTES = 8;
export const TARGETS_MAX = 128;
export const MEMBERS_MAX = 128;

export const LINK_LIMITS: Readonly<Record<number, number>> = {
  [LINK.message]: WIRE_MESSAGE_BYTES_MAX,
  [LINK.forward]: 2 + TARGETS_MAX * TARGET_BYTES + WIRE_MESSAGE_BYTES_MAX,
  [LINK.forwarded]: ID_BYTES + WIRE_MESSAGE_BYTES_MAX,
  [LINK.neighbours]: 2 + MEMBERS_MAX * ID_BYTES,
  [LINK.record]: RECORD_BYTES_MAX,
  [LINK.ping]: 8,
  [LINK.pong]: 16,
  [LINK.slotRequest]: 0,
  [LINK.slotAnswer]: 1,
};

export interface Forward {
  /** Beginnings of validator ids. */
  readonly targets: readonly string[];
  readonly message: Uint8Array;
}

export function encodeForward({ targets, message }: Forward): Uint8Array {
  const writer = new Writer(2 + targets.length * TARGET_BYTES + message.length).varint(
    targets.length,
  );
  for (const target of targets) writer.raw(fromHex(target, 'target', TARGET_BYTES));
  return writer.raw(message).finish();
}

export function decodeForward(bytes: Uint8Array): Forward {
  const reader = new Reader(bytes, 'forward');
  const count = reader.varint();
  if (count > TARGETS_MAX) throw new SvcError('out_of_range', `${count} targets`);
  const targets = Array.from({ length: count }, () => toHex(reader.raw(TARGET_BYTES)));
  return { targets, message: bytes.slice(reader.offset) };
}

export function encodeForwarded(origin: string, message: Uint8Array): Uint8Array {
  return new Writer(ID_BYTES + message.length)
    .raw(fromHex(origin, 'origin', ID_BYTES))
    .raw(message)
    .finish();
}

export function decodeForwarded(bytes: Uint8Array): { origin: string; message: Uint8Array } {
  const reader = new Reader(bytes, 'forwarded');
  return { origin: toHex(reader.raw(ID_BYTES)), message: bytes.slice(ID_BYTES) };
}

export function encodeNeighbours(ids: readonly string[]): Uint8Array {
  const writer = new Writer(2 + ids.length * ID_BYTES).varint(ids.length);
  for (const id of ids) writer.raw(fromHex(id, 'id', ID_BYTES));
  return writer.finish();
}

export function decodeNeighbours(bytes: Uint8Array): string[] {
  const reader = new Reader(bytes, 'neighbours');
  const count = reader.varint();
  if (count > MEMBERS_MAX) throw new SvcError('out_of_range', `${count} neighbours`);
  const ids = Array.from({ length: count }, () => toHex(reader.raw(ID_BYTES)));
  reader.end();
  return ids;
}

export function encodeTimes(...times: readonly number[]): Uint8Array {
  const writer = new Writer(8 * times.length);
  for (const time of times) writer.u64(BigInt(Math.max(0, Math.floor(time))));
  return writer.finish();
}

export function decodeTimes(bytes: Uint8Array, count: number): number[] {
  const reader = new Reader(bytes, 'times');
  const times = Array.from({ length: count }, () => Number(reader.u64()));
  reader.end();
  return times;
}
