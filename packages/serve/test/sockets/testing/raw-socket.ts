/**
 * A client that writes what bytes it likes, for input that no honest client sends.
 */
import { connect, type Socket } from 'node:net';
import { SOCKET_ENDPOINTS, type SocketEndpoint } from 'svc-api';
import { connectionEnd, dataOrEnd } from 'svc-base/testing';
import { within } from './test-client.ts';

export const OPCODES = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
} as const;

export interface FrameOptions {
  readonly final?: boolean;
  readonly masked?: boolean;
  readonly reserved?: number;
  /** Four bytes; with those of zero the payload stands as it is. */
  readonly mask?: readonly number[];
}

export interface ServerFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

const NO_MASK = [0, 0, 0, 0];

/** A frame as a client sends it. */
export function clientFrame(
  opcode: number,
  payload: Uint8Array | string,
  options: FrameOptions = {},
) {
  const { final = true, masked = true, reserved = 0, mask: key = NO_MASK } = options;
  const bytes = Buffer.from(payload).map((byte, at) => byte ^ (key[at % 4] as number));
  const first = (final ? 0x80 : 0) | reserved | opcode;
  const mask = masked ? 0x80 : 0;
  const head =
    bytes.length < 126
      ? Buffer.of(first, mask | bytes.length)
      : bytes.length <= 0xffff
        ? Buffer.of(first, mask | 126, bytes.length >> 8, bytes.length & 255)
        : Buffer.concat([Buffer.of(first, mask | 127), longLength(bytes.length)]);
  return Buffer.concat([head, Buffer.from(masked ? key : []), bytes]);
}

/** What a close without a code counts as. */
const NO_CODE = 1_005;

function longLength(length: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(length));
  return buffer;
}

export interface RawRequest {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Sends a request to upgrade and resolves with what came back first. */
export class RawSocket {
  readonly socket: Socket;
  readonly #chunks: Buffer[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    socket.on('error', () => {});
  }

  static async send(origin: string, endpoint: SocketEndpoint, request: RawRequest = {}) {
    const { hostname, port, host } = new URL(origin);
    const socket = connect(Number(port), hostname);
    const raw = new RawSocket(socket);
    const headers: Record<string, string | undefined> = {
      host,
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-version': '13',
      'sec-websocket-protocol': SOCKET_ENDPOINTS[endpoint].subprotocol,
      ...request.headers,
    };
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}: ${value}`],
    );
    const path = request.path ?? SOCKET_ENDPOINTS[endpoint].path;
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    await within(raw.#received(), 'an answer');
    return raw;
  }

  async #received(): Promise<void> {
    while (!this.bytes.includes('\r\n\r\n') && !this.socket.destroyed) {
      await dataOrEnd(this.socket);
    }
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get status(): number {
    return Number(this.bytes.toString('latin1').split(' ', 2)[1]);
  }

  /** The error document of a refused upgrade. */
  async refusal(): Promise<{ api_version: number; error: { code: string; message: string } }> {
    await within(connectionEnd(this.socket), 'the end of the answer');
    const text = this.bytes.toString();
    return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
  }

  /** The code with which the server closed, 1005 for none; 1006 if it just went away. */
  async closeCode(): Promise<number> {
    for (;;) {
      const code = this.#closeCodeSoFar();
      if (code !== undefined || this.socket.destroyed) {
        this.socket.destroy();
        return code ?? 1_006;
      }
      await within(dataOrEnd(this.socket), 'the close');
    }
  }

  #closeCodeSoFar(): number | undefined {
    const close = this.frames.find(({ opcode }) => opcode === OPCODES.close);
    if (close === undefined) return undefined;
    return close.payload.length === 0 ? NO_CODE : close.payload.readUInt16BE();
  }

  /** Those that have come whole. */
  get frames(): readonly ServerFrame[] {
    const bytes = this.bytes.subarray(this.bytes.indexOf('\r\n\r\n') + 4);
    const frames: ServerFrame[] = [];
    for (let at = 0; at + 2 <= bytes.length; ) {
      const short = bytes[at + 1] as number;
      const header = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (at + header > bytes.length) break;
      const length = short < 126 ? short : bytes.readUInt16BE(short === 126 ? at + 2 : at + 8);
      const end = at + header + length;
      if (end > bytes.length) break;
      frames.push({
        opcode: (bytes[at] as number) & 15,
        payload: bytes.subarray(at + header, end),
      });
      at = end;
    }
    return frames;
  }

  /** Waits until so many frames have come. */
  async framesUntil(count: number): Promise<readonly ServerFrame[]> {
    while (this.frames.length < count && !this.socket.destroyed) {
      await within(dataOrEnd(this.socket), `${count} frames`);
    }
    return this.frames;
  }

  write(...pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) this.socket.write(piece);
  }
}
