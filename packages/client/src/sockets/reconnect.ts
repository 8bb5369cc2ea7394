/**
 * One connection as a stream of frames, and how long to wait before the next one.
 */
import { ClientError } from '../client-error.ts';

export interface WebSocketLike {
  readonly readyState: number;
  send(data: string): void;
  close(code?: number): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
}

export type WebSocketConstructor = new (url: string, protocol: string) => WebSocketLike;

export interface SocketPorts {
  readonly WebSocket: WebSocketConstructor;
  sleep(millis: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export interface Frame {
  readonly type: string;
  readonly data: unknown;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly protocol: string;
  readonly signal: AbortSignal | undefined;
  /** A connection on which nothing arrives for this long has died unnoticed. */
  readonly silenceMillisMax: number;
  /** Called once it is open, with what sends a frame. */
  readonly onOpen?: (send: (frame: object) => void) => void;
}

const FIRST_WAIT_MILLIS = 500;
const WAIT_MILLIS_MAX = 30_000;
/** A reader that is this far behind is cut off; it resumes where it stopped. */
const FRAMES_WAITING_MAX = 16_384;

/** Grows with each failure; the jitter keeps clients of a restarted server apart. */
export function reconnectWait(failures: number, random: () => number): number {
  const most = Math.min(WAIT_MILLIS_MAX, FIRST_WAIT_MILLIS * 2 ** Math.min(failures, 10));
  return most * (0.5 + 0.5 * random());
}

/** Yields the frames of one connection and returns when it closes, for whatever reason. */
export async function* connect(
  ports: SocketPorts,
  { url, protocol, signal, silenceMillisMax, onOpen }: ConnectionOptions,
): AsyncGenerator<Frame, void> {
  if (signal?.aborted === true) return;
  const waiting: Frame[] = [];
  let wake: () => void = () => {};
  let isClosed = false;
  const socket = new ports.WebSocket(url, protocol);
  const end = (): void => {
    isClosed = true;
    wake();
  };
  const close = (): void => {
    socket.close();
    end();
  };
  let silence = setTimeout(close, silenceMillisMax);
  signal?.addEventListener('abort', close, { once: true });
  socket.addEventListener('open', () => onOpen?.((frame) => socket.send(JSON.stringify(frame))));
  socket.addEventListener('close', end);
  socket.addEventListener('error', end);
  socket.addEventListener('message', ({ data }) => {
    const frame = readFrame(data);
    if (frame === undefined || waiting.length >= FRAMES_WAITING_MAX) return close();
    clearTimeout(silence);
    silence = setTimeout(close, silenceMillisMax);
    waiting.push(frame);
    wake();
  });
  try {
    for (;;) {
      yield* waiting.splice(0);
      if (isClosed) return;
      if (waiting.length > 0) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', close);
    close();
  }
}

/** Nothing if the text is no frame: the server is none of ours, and the connection is given up. */
function readFrame(data: unknown): Frame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const frame = JSON.parse(data) as Partial<Frame> | null;
    return typeof frame?.type === 'string' ? { type: frame.type, data: frame.data } : undefined;
  } catch {
    return undefined;
  }
}

export function expectWebSocket(ports: SocketPorts): void {
  if (typeof ports.WebSocket === 'function') return;
  throw new ClientError(
    'unreachable',
    'this environment has no WebSocket; pass one in the options',
  );
}
