/**
 * What a connection needs of its socket, whichever kind that is.
 */
export interface Transport {
  readonly kind: 'tcp' | 'tls' | 'ws';
  readonly remoteAddress: string | undefined;
  /** Bytes that the other side has not taken yet. */
  readonly unsent: number;
  send(bytes: Uint8Array): void;
  /** Sends what is under way, then closes; `isAbrupt` closes at once. */
  close(isAbrupt: boolean): void;
}

export interface TransportEvents {
  receive(bytes: Uint8Array): void;
  closed(): void;
}

/** A server takes a socket or refuses it by answering nothing. */
export type Accept = (transport: Transport) => TransportEvents | undefined;

export interface Bind {
  readonly host: string;
  readonly port: number;
}
