/**
 * A process that holds many WebSocket clients and reports when the last of them has a frame. It reads as
 * little as it can: lengths of frames, and whether one is whole.
 */
import { connect, type Socket } from 'node:net';

export interface ClientsTask {
  readonly port: number;
  readonly path: string;
  readonly subprotocol: string;
  readonly clients: number;
  /** A text frame that each client sends first; it is answered with one frame. */
  readonly first: string | undefined;
}

/** After `connected`, one `delivered` for each frame that all clients have got. */
export type ClientsReport =
  | { readonly type: 'connected' }
  | { readonly type: 'delivered' /** Nanoseconds of the monotonic clock. */; readonly at: string };

const AT_ONCE = 64;

function maskedText(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 125) throw new Error('only short frames are sent');
  return Buffer.concat([Buffer.of(0x81, 0x80 | payload.length, 0, 0, 0, 0), payload]);
}

/** Counts the whole frames in a stream of bytes. */
class FrameCounter {
  #header = Buffer.alloc(0);
  #left = 0;

  take(chunk: Buffer): number {
    let frames = 0;
    let at = 0;
    while (at < chunk.length || (this.#left === 0 && this.#header.length > 0)) {
      if (this.#left > 0) {
        const part = Math.min(this.#left, chunk.length - at);
        at += part;
        this.#left -= part;
        if (this.#left === 0) frames++;
        continue;
      }
      const header = Buffer.concat([this.#header, chunk.subarray(at, at + 10)]);
      const size = headerSize(header);
      if (size === undefined) {
        this.#header = header;
        return frames;
      }
      at += size - this.#header.length;
      this.#header = Buffer.alloc(0);
      this.#left = payloadLength(header);
      if (this.#left === 0) frames++;
    }
    return frames;
  }
}

function headerSize(header: Buffer): number | undefined {
  if (header.length < 2) return undefined;
  const short = header[1] as number;
  const size = short < 126 ? 2 : short === 126 ? 4 : 10;
  return header.length < size ? undefined : size;
}

function payloadLength(header: Buffer): number {
  const short = header[1] as number;
  if (short < 126) return short;
  return short === 126 ? header.readUInt16BE(2) : Number(header.readBigUInt64BE(2));
}

/** Resolves once the handshake is over and the first frame, if any, is answered. */
function openClient(task: ClientsTask, onFrames: (frames: number) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(task.port, '127.0.0.1');
    const counter = new FrameCounter();
    let greeted = false;
    let waiting = task.first !== undefined;
    socket.setNoDelay();
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a socket')));
    socket.on('data', (chunk: Buffer) => {
      const end = greeted ? 0 : chunk.indexOf('\r\n\r\n') + 4;
      greeted = true;
      let frames = counter.take(chunk.subarray(end));
      if (waiting && frames > 0) {
        waiting = false;
        frames--;
      }
      if (!waiting) resolve(socket);
      if (frames > 0) onFrames(frames);
    });
    socket.write(
      `GET ${task.path} HTTP/1.1\r\nhost: 127.0.0.1:${task.port}\r\nupgrade: websocket\r\n` +
        'connection: Upgrade\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
        `sec-websocket-version: 13\r\nsec-websocket-protocol: ${task.subprotocol}\r\n\r\n`,
    );
    if (task.first !== undefined) socket.write(maskedText(task.first));
  });
}

function say(report: ClientsReport): void {
  process.send?.(report);
}

async function hold(task: ClientsTask): Promise<void> {
  let got = 0;
  const onFrames = (frames: number): void => {
    got += frames;
    for (; got >= task.clients; got -= task.clients) {
      say({ type: 'delivered', at: `${process.hrtime.bigint()}` });
    }
  };
  for (let opened = 0; opened < task.clients; opened += AT_ONCE) {
    const batch = Math.min(AT_ONCE, task.clients - opened);
    await Promise.all(Array.from({ length: batch }, () => openClient(task, onFrames)));
  }
  say({ type: 'connected' });
}

process.once('message', (task: ClientsTask) => void hold(task));
process.once('disconnect', () => process.exit());
