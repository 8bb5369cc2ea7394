/**
 * Counts open sockets, in all and by client address.
 */
import type { SocketProfile } from 'svc-api';

export interface ConnectionCaps {
  readonly total: number;
  readonly perClient: number;
}

/** Fewer in all than the connections of the HTTP server, so that sockets never keep requests out. */
export const CONNECTION_CAPS: Readonly<Record<SocketProfile, ConnectionCaps>> = {
  node: { total: 768, perClient: 32 },
  public: { total: 7_168, perClient: 32 },
};

export class ConnectionCounter {
  readonly #caps: ConnectionCaps;
  readonly #byClient = new Map<string, number>();
  #total = 0;

  constructor(caps: ConnectionCaps) {
    this.#caps = caps;
  }

  get total(): number {
    return this.#total;
  }

  hasRoomFor(client: string): boolean {
    return this.#total < this.#caps.total && this.#of(client) < this.#caps.perClient;
  }

  add(client: string): void {
    this.#total++;
    this.#byClient.set(client, this.#of(client) + 1);
  }

  remove(client: string): void {
    this.#total--;
    const left = this.#of(client) - 1;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
  }

  #of(client: string): number {
    return this.#byClient.get(client) ?? 0;
  }
}
