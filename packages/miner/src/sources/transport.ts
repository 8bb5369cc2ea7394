/**
 * A connection to a mining server: bytes out, bytes in, an end. TCP, TLS and WebSocket look the same to its user.
 * This file opens none, so that it serves programs and pages alike.
 */
import type { ServerUrl } from './server-url.ts';

export interface TransportEvents {
  readonly onOpen: () => void;
  readonly onBytes: (bytes: Uint8Array) => void;
  /** Called once, also if the connection could not be opened. */
  readonly onEnd: (reason: string) => void;
}

export interface Transport {
  send(bytes: Uint8Array): void;
  close(): void;
}

export type OpenTransport = (server: ServerUrl, events: TransportEvents) => Transport;

/** Only the first end of a connection is reported. */
export function toldOnce(onEnd: TransportEvents['onEnd']): TransportEvents['onEnd'] {
  let isTold = false;
  return (reason) => {
    if (isTold) return;
    isTold = true;
    onEnd(reason);
  };
}
