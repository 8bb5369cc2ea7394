/**
 * One connection as a stream of frames, and how long to wait before the next one.
 */
import { ClientError } from '../client-error.ts';

/** The part of a WebSocket that the client uses. */
export interface WebSocketLike {
  readonly readyState: number;
  send(data: string): void;
  close(code?: number): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
}

/** A WebSocket class, for programs whose platform has none. */
export type WebSocketConstructor = new (url: string, protocol: string) => WebSocketLike;

export interface SocketPorts {
  open(url: string, protocol: string): WebSocketLike;
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
  /** Called once the connection is open, with a function that sends a frame. */
  readonly onOpen?: (send: (frame: object) => void) => void;
}

const FIRST_WAIT_MILLIS = 500;
const WAIT_MILLIS_MAX = 30_000;
/** A reader that is this far behind is cut off; it resumes where it stopped. */
const FRAMES_WAITING_MAX = 16_384;

/**
 * The wait before the next connection. It grows with each failure; jitter keeps clients of a restarted server apart.
 */
export function reconnectWait(failures: number, random: () => number): number {
  const most = Math.min(WAIT_MILLIS_MAX, FIRST_WAIT_MILLIS * 2 ** Math.min(failures, 10));
  return most * (0.5 + 0.5 * random());
}

/** Yields the frames of one connection and returns when it closes, for whatever reason. */
export async function* connect(
  ports: SocketPorts,
  options: ConnectionOptions,
): AsyncGenerator<Frame, void> {
  for await (const text of connectText(ports, options)) {
    const frame = readFrame(text);
    if (frame === undefined) return;
    yield frame;
  }
}

/** Yields the texts of one connection, for servers that send no frames of a node. */
export async function* connectText(
  ports: SocketPorts,
  { url, protocol, signal, silenceMillisMax, onOpen }: ConnectionOptions,
): AsyncGenerator<string, void> {
  if (signal?.aborted === true) return;
  const waiting: string[] = [];
  let wake: () => void = () => {};
  let isClosed = false;
  const socket = ports.open(url, protocol);
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
    if (typeof data !== 'string' || waiting.length >= FRAMES_WAITING_MAX) {
      close();
      return;
    }
    clearTimeout(silence);
    silence = setTimeout(close, silenceMillisMax);
    waiting.push(data);
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

/** Returns undefined if the text is no frame: the server is no node, and the connection is closed. */
function readFrame(text: string): Frame | undefined {
  try {
    const frame = JSON.parse(text) as Partial<Frame> | null;
    return typeof frame?.type === 'string' ? { type: frame.type, data: frame.data } : undefined;
  } catch {
    return undefined;
  }
}

/** Opens sockets with a constructor such as the environment's own. */
export function opener(WebSocket: WebSocketConstructor | undefined): SocketPorts['open'] {
  return (url, protocol) => new (expectWebSocket(WebSocket))(url, protocol);
}

export function expectWebSocket<Constructor>(WebSocket: Constructor | undefined): Constructor {
  if (WebSocket !== undefined) return WebSocket;
  throw new ClientError('unreachable', 'this environment has no WebSocket', {
    hint: 'pass one in the options, or use Node 22 or later',
  });
}
