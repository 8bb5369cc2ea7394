/**
 * Admits connections: which peers are banned, how many connections a range of addresses has, and how many there
 * are in all. It runs before encryption where it can, so that a refused connection costs next to nothing. Once all
 * places are taken, those that have said no hello are evicted for newcomers, and ranges share them.
 */
import type { Connection, ConnectionGater, MultiaddrConnection, PeerId } from '@libp2p/interface';
import type { Clock } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { isPublic, rangeOf } from '../base/addresses.ts';
import { FairSlots } from '../base/fair-slots.ts';
import type { Bans } from '../peers/bans.ts';
import { socketAddressOf } from './multiaddresses.ts';
import type { HostOptions } from './options.ts';

/**
 * Connections beyond the limit of peers that may still shake hands; after that a peer has to yield or the connection
 * is refused.
 */
export const STRANGERS_MAX = 16;
/** The hello comes a round trip after the last message of encryption: a stream and its protocol are agreed on before. */
const PLACE_MILLIS = 3_000;

interface Counted {
  readonly connection: Connection;
  readonly direction: 'inbound' | 'outbound';
  readonly range: string | undefined;
}

export class Gater implements ConnectionGater {
  readonly #options: Pick<HostOptions, 'limits' | 'allowPrivateAddresses'>;
  readonly #bans: Bans;
  readonly #open = new Map<string, Counted>();
  /** Ids of connections that others opened and that have said no hello. */
  readonly #silent: FairSlots<string>;

  constructor(
    options: Pick<HostOptions, 'limits' | 'allowPrivateAddresses'>,
    bans: Bans,
    clock: Pick<Clock, 'monotonic'> = SYSTEM_CLOCK,
  ) {
    this.#options = options;
    this.#bans = bans;
    this.#silent = new FairSlots({
      clock,
      placeMillis: PLACE_MILLIS,
      isFull: () => this.count('inbound') >= options.limits.inboundMax + STRANGERS_MAX,
      end: (id) => this.#end(id),
    });
  }

  /** `isPeer`: its hello was handled before this event. */
  opened(connection: Connection, isPeer = false): void {
    const { direction, remoteAddr, id } = connection;
    const isSilent = direction === 'inbound' && !isPeer;
    if (isSilent && !this.#silent.enter(id, originOf(remoteAddr))) {
      connection.abort(new Error('no place'));
      return;
    }
    const host = socketAddressOf(remoteAddr)?.host;
    const range = host === undefined ? undefined : this.#rangeOf(host);
    this.#open.set(id, { connection, direction, range });
  }

  /** A connection has said hello. */
  greeted(connection: Connection): void {
    this.#silent.leave(connection.id);
  }

  closed(connection: Connection): void {
    this.#silent.leave(connection.id);
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
    if (!this.#silent.hasRoomFor(originOf(connection.remoteAddr))) return true;
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

  #end(id: string): void {
    const connection = this.#open.get(id)?.connection;
    this.#open.delete(id);
    connection?.abort(new Error('another connection needs the place'));
  }

  /** Addresses that are not public count as one household, not one range, and are only counted elsewhere. */
  #rangeOf(host: string): string | undefined {
    if (this.#options.allowPrivateAddresses && !isPublic(host)) return undefined;
    return rangeOf(host);
  }
}

/** The range that an address shares slots with, public or not. */
function originOf(address: Connection['remoteAddr']): string {
  const host = socketAddressOf(address)?.host;
  return host === undefined ? '' : rangeOf(host);
}
