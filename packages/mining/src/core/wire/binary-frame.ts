/**
 * `svc-mining-v2`: `length u16 | type u8 | id u32 (requests and answers) | fields`. The length counts what follows
 * it and is the one big-endian number of the protocol: frames are at most 4 KiB, so their first byte is at most 16
 * and never the `{` with which a line of `svc-mining-v1` begins.
 */
import { Reader, SvcError, Writer } from 'svc-wasm/base';
import { printable } from './json-line.ts';
import { MESSAGE_BYTES_MAX, REASON_CHARACTERS_MAX } from './limits.ts';
import {
  kindOfMessage,
  MESSAGE_KINDS,
  type Message,
  type MessageKind,
  REFUSED_CODE,
} from './messages.ts';

export const LENGTH_BYTES = 2;
export const FRAME_BYTES_MAX: number = MESSAGE_BYTES_MAX;

const BY_CODE: ReadonlyMap<number, MessageKind> = new Map(
  MESSAGE_KINDS.map((kind) => [kind.code, kind]),
);
const PRINTABLE = /^[ -~]*$/;

/** A whole frame, its length included. */
export function encodeFrame(message: Message): Uint8Array {
  const writer = new Writer().u16(0);
  if (message.type === 'refused') writeRefused(writer, message);
  else {
    const { code, role, fields } = kindOfMessage(message.type);
    writer.u8(code);
    if (role !== 'notice') writer.u32((message as { readonly id: number }).id);
    fields.write(writer, message);
  }
  const frame = writer.finish();
  const length = frame.length - LENGTH_BYTES;
  if (frame.length > FRAME_BYTES_MAX) throw new RangeError(`a frame of ${frame.length} bytes`);
  frame[0] = length >> 8;
  frame[1] = length & 0xff;
  return frame;
}

/** Reads what follows the length of a frame. */
export function decodeFrame(content: Uint8Array): Message {
  const reader = new Reader(content, 'frame');
  const code = reader.u8();
  const message = code === REFUSED_CODE ? readRefused(reader) : readMessage(reader, code);
  reader.end();
  return message;
}

function readMessage(reader: Reader, code: number): Message {
  const kind = BY_CODE.get(code);
  if (kind === undefined)
    throw new SvcError('out_of_range', `there is no message ${code}`, { path: 'frame.type' });
  const id = kind.role === 'notice' ? {} : { id: reader.u32() };
  return { type: kind.type, ...id, ...kind.fields.read(reader, 'frame') } as unknown as Message;
}

function writeRefused(writer: Writer, message: Message & { readonly type: 'refused' }): void {
  const { id, code } = message;
  writer.u8(REFUSED_CODE).u8(id === undefined ? 0 : 1);
  if (id !== undefined) writer.u32(id);
  writer.u16(code).counted(new TextEncoder().encode(printable(message.message)));
}

function readRefused(reader: Reader): Message {
  const presence = reader.u8();
  if (presence > 1)
    throw new SvcError('out_of_range', `expected 0 or 1, found ${presence}`, { path: 'frame.id' });
  const id = presence === 1 ? { id: reader.u32() } : {};
  const code = reader.u16();
  const message = String.fromCharCode(...reader.counted(REASON_CHARACTERS_MAX));
  if (PRINTABLE.test(message)) return { type: 'refused', ...id, code, message };
  throw new SvcError('bad_text', 'expected printable ASCII', { path: 'frame.message' });
}
