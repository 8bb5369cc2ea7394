/**
 * Places for connections that others have opened and that are not encrypted yet. They cost an attacker nothing, so each
 * range of addresses has a few of them, and a few are kept for hosts that this node has reached by itself.
 */
import type { MultiaddrConnection } from '@libp2p/interface';
import { rangeOf } from '../base/addresses.ts';
import { socketAddressOf } from './multiaddresses.ts';

/** Must stay below the limit of the library, which knows no ranges; see `create-host.ts`. */
export const UPGRADES_MAX = 64;
const UPGRADES_PER_RANGE_MAX = 8;
/** Places that only hosts get which this node has reached before. */
const UPGRADES_OF_KNOWN_MAX = 16;

export class UpgradePlaces {
  readonly #isKnownHost: (host: string) => boolean;
  readonly #byRange = new Map<string, number>();
  #count = 0;

  constructor(isKnownHost: (host: string) => boolean) {
    this.#isKnownHost = isKnownHost;
  }

  /** Performs an upgrade if there is a place for it; rejects otherwise. */
  async occupy<Result>(
    { remoteAddr }: Pick<MultiaddrConnection, 'remoteAddr'>,
    upgrade: () => Promise<Result>,
  ): Promise<Result> {
    const host = socketAddressOf(remoteAddr)?.host;
    const range = host === undefined ? '' : rangeOf(host);
    const inRange = this.#byRange.get(range) ?? 0;
    const isKnown = host !== undefined && this.#isKnownHost(host);
    const most = UPGRADES_MAX - (isKnown ? 0 : UPGRADES_OF_KNOWN_MAX);
    if (this.#count >= most || inRange >= UPGRADES_PER_RANGE_MAX)
      throw new Error('too many connections are being made');
    this.#count++;
    this.#byRange.set(range, inRange + 1);
    try {
      return await upgrade();
    } finally {
      this.#count--;
      const left = (this.#byRange.get(range) ?? 1) - 1;
      if (left > 0) this.#byRange.set(range, left);
      else this.#byRange.delete(range);
    }
  }
}
