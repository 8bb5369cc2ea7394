/**
 * A client that writes what bytes it likes, for input that no honest client sends.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { SOCKET_ENDPOINTS, type SocketEndpoint } from 'svc-api';
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
}

/** A frame as a client sends it; the mask is zero, so the payload stands as it is. */
export function clientFrame(
  opcode: number,
  payload: Uint8Array | string,
  options: FrameOptions = {},
) {
  const { final = true, masked = true, reserved = 0 } = options;
  const bytes = Buffer.from(payload);
  const first = (final ? 0x80 : 0) | reserved | opcode;
  const mask = masked ? 0x80 : 0;
  const head =
    bytes.length < 126
      ? Buffer.of(first, mask | bytes.length)
      : bytes.length <= 0xffff
        ? Buffer.of(first, mask | 126, bytes.length >> 8, bytes.length & 255)
        : Buffer.concat([Buffer.of(first, mask | 127), longLength(bytes.length)]);
  return Buffer.concat([head, Buffer.alloc(masked ? 4 : 0), bytes]);
}

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
  readonly #ended: Promise<unknown>;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    socket.on('error', () => {});
    this.#ended = once(socket, 'close');
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
      await Promise.race([once(this.socket, 'data'), this.#ended]);
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
    await within(this.#ended, 'the end of the answer');
    const text = this.bytes.toString();
    return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
  }

  /** The code with which the server closed; 1006 if it just went away. */
  async closeCode(): Promise<number> {
    for (;;) {
      const code = this.#closeCodeSoFar();
      if (code !== undefined || this.socket.destroyed) {
        this.socket.destroy();
        return code ?? 1_006;
      }
      await within(Promise.race([once(this.socket, 'data'), this.#ended]), 'the close');
    }
  }

  #closeCodeSoFar(): number | undefined {
    const frames = this.bytes.subarray(this.bytes.indexOf('\r\n\r\n') + 4);
    let at = 0;
    while (at + 2 <= frames.length) {
      const opcode = (frames[at] ?? 0) & 15;
      const short = frames[at + 1] ?? 0;
      const header = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (at + header > frames.length) return undefined;
      const length = short < 126 ? short : frames.readUInt16BE(short === 126 ? at + 2 : at + 8);
      const isWhole = at + header + length <= frames.length;
      if (opcode === OPCODES.close && isWhole) return frames.readUInt16BE(at + header);
      at += header + length;
    }
    return undefined;
  }

  write(...pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) this.socket.write(piece);
  }
}
