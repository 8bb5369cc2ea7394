/**
 * Decides at the door: who is banned, how many connections a range of addresses has, and how many there
 * are in all. It runs before encryption where it can, so that a refused connection costs next to nothing.
 */
import type { Connection, ConnectionGater, MultiaddrConnection, PeerId } from '@libp2p/interface';
import { isPublic, rangeOf } from '../base/addresses.ts';
import type { Bans } from '../peers/bans.ts';
import { socketAddressOf } from './multiaddresses.ts';
import type { HostOptions } from './options.ts';

/** Connections beyond the limit of peers that are let in to shake hands; a peer then makes room or has none. */
export const STRANGERS_MAX = 16;

interface Counted {
  readonly direction: 'inbound' | 'outbound';
  readonly range: string | undefined;
}

export class Gater implements ConnectionGater {
  readonly #options: Pick<HostOptions, 'limits' | 'allowPrivateAddresses'>;
  readonly #bans: Bans;
  readonly #open = new Map<string, Counted>();

  constructor(options: Pick<HostOptions, 'limits' | 'allowPrivateAddresses'>, bans: Bans) {
    this.#options = options;
    this.#bans = bans;
  }

  opened(connection: Connection): void {
    const host = socketAddressOf(connection.remoteAddr)?.host;
    const range = host === undefined ? undefined : this.#rangeOf(host);
    this.#open.set(connection.id, { direction: connection.direction, range });
  }

  closed(connection: Connection): void {
    this.#open.delete(connection.id);
  }

  count(direction: 'inbound' | 'outbound'): number {
    return [...this.#open.values()].filter((one) => one.direction === direction).length;
  }

  /** Whether another connection to this address stays within the limits. */
  hasRoomFor(host: string): boolean {
    const range = this.#rangeOf(host);
    if (range === undefined) return true;
    const found = [...this.#open.values()].filter((one) => one.range === range).length;
    return found < this.#options.limits.perRangeMax;
  }

  denyDialPeer(peer: PeerId): boolean {
    return this.#bans.isPeerBanned(peer.toString());
  }

  denyInboundConnection(connection: MultiaddrConnection): boolean {
    if (this.count('inbound') >= this.#options.limits.inboundMax + STRANGERS_MAX) return true;
    const host = socketAddressOf(connection.remoteAddr)?.host;
    if (host === undefined) return false;
    return this.#bans.isHostBanned(host) || !this.hasRoomFor(host);
  }

  denyInboundEncryptedConnection(peer: PeerId): boolean {
    return this.#bans.isPeerBanned(peer.toString());
  }

  denyOutboundEncryptedConnection(peer: PeerId): boolean {
    return this.#bans.isPeerBanned(peer.toString());
  }

  /** Addresses that are not public are one household, not one range, and only counted elsewhere. */
  #rangeOf(host: string): string | undefined {
    if (this.#options.allowPrivateAddresses && !isPublic(host)) return undefined;
    return rangeOf(host);
  }
}
