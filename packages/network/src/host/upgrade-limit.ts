/**
 * Slots for inbound connections that are not encrypted yet. They cost an attacker nothing, so each range of addresses
 * has a few of them, and a few are reserved for hosts that this node has reached by itself. A connection has its slot
 * for a while; after that it stays until another connection needs the slot, so that a node with time serves slow
 * peers too.
 */
import type { MultiaddrConnection } from '@libp2p/interface';
import type { Clock } from 'svc-base/pure';
import { rangeOf } from '../base/addresses.ts';
import { socketAddressOf } from './multiaddresses.ts';

/** Must stay below the limit of the library, which knows no ranges; see `create-host.ts`. */
export const UPGRADES_MAX = 64;
/** How long encrypting a connection that others opened may take. */
export const UPGRADE_MILLIS_MAX = 60_000;
const UPGRADES_PER_RANGE_MAX = 8;
/** Places that only hosts get which this node has reached before. */
const UPGRADES_OF_KNOWN_MAX = 16;
/** No slot is taken away before this time. */
const PLACE_MILLIS = 5_000;

type Upgrading = Pick<MultiaddrConnection, 'remoteAddr' | 'abort'>;

interface Occupant {
  readonly connection: Upgrading;
  readonly range: string;
  readonly sinceMillis: number;
}

export class UpgradeLimit {
  readonly #isKnownHost: (host: string) => boolean;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** In the order of arrival. */
  readonly #occupants = new Set<Occupant>();

  constructor(isKnownHost: (host: string) => boolean, clock: Pick<Clock, 'monotonic'>) {
    this.#isKnownHost = isKnownHost;
    this.#clock = clock;
  }

  /** Performs an upgrade if there is a place for it; rejects otherwise. */
  async occupy<Result>(connection: Upgrading, upgrade: () => Promise<Result>): Promise<Result> {
    const host = socketAddressOf(connection.remoteAddr)?.host;
    const range = host === undefined ? '' : rangeOf(host);
    const isKnown = host !== undefined && this.#isKnownHost(host);
    this.#makeRoom(UPGRADES_PER_RANGE_MAX, (one) => one.range === range);
    this.#makeRoom(UPGRADES_MAX - (isKnown ? 0 : UPGRADES_OF_KNOWN_MAX), () => true);
    const occupant = { connection, range, sinceMillis: this.#clock.monotonic() };
    this.#occupants.add(occupant);
    try {
      return await upgrade();
    } finally {
      this.#occupants.delete(occupant);
    }
  }

  /** Ends the oldest of too many occupants, or throws if none has had its time. */
  #makeRoom(most: number, isCounted: (one: Occupant) => boolean): void {
    const counted = [...this.#occupants].filter(isCounted);
    if (counted.length < most) return;
    const [oldest] = counted;
    const hadItsTime =
      oldest !== undefined && oldest.sinceMillis + PLACE_MILLIS <= this.#clock.monotonic();
    if (!hadItsTime) throw new Error('too many connections are being made');
    this.#occupants.delete(oldest);
    oldest.connection.abort(new Error('another connection needs the place'));
  }
}
