/**
 * WebSocket frames as bytes that are ready to be written: a frame that many clients get is made once. A
 * server's frames are not masked, so they are the same for all clients.
 */
const FINAL = 0x80;
const OPCODES = { text: 1, ping: 9, pong: 10 } as const;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

function headerOf(opcode: number, length: number): Buffer {
  if (length < LENGTH_16) return Buffer.of(FINAL | opcode, length);
  if (length <= 0xffff) {
    const header = Buffer.alloc(4);
    header[0] = FINAL | opcode;
    header[1] = LENGTH_16;
    header.writeUInt16BE(length, 2);
    return header;
  }
  const header = Buffer.alloc(10);
  header[0] = FINAL | opcode;
  header[1] = LENGTH_64;
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}

/** A text frame of several pieces of UTF-8. */
export function textFrame(...pieces: readonly Buffer[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return Buffer.concat([headerOf(OPCODES.text, length), ...pieces]);
}

export function jsonFrame(value: unknown): Buffer {
  return textFrame(Buffer.from(JSON.stringify(value)));
}

export const PING_FRAME: Buffer = headerOf(OPCODES.ping, 0);

export function pongFrame(data: Buffer): Buffer {
  return Buffer.concat([headerOf(OPCODES.pong, data.length), data]);
}
