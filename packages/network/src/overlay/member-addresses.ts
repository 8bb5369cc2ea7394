/**
 * The addresses of members: those of their routes, and the one from which each of them last proved who it is. Names
 * are looked up one at a time, of members without a link only, and again after a while.
 */
import type { Clock } from 'svc-base/pure';
import { canonicalHost } from '../base/addresses.ts';
import type { Route } from './endpoint.ts';
import type { Members } from './members.ts';

export interface MemberAddressesOptions {
  readonly members: Pick<Members, 'ids' | 'has' | 'routesOf'>;
  readonly isLinked: (validatorId: string) => boolean;
  /** The addresses that a route may be dialled at. */
  readonly findHosts: (route: Route) => Promise<readonly string[]>;
  readonly clock: Clock;
}

interface Known {
  /** By the name in a route. */
  readonly resolved: Map<string, readonly string[]>;
  proven: string | undefined;
  lookedUpAtMillis: number;
}

const LOOK_MILLIS = 500;
const LOOK_UP_AGAIN_MILLIS = 60_000;

export class MemberAddresses {
  readonly #options: MemberAddressesOptions;
  readonly #known = new Map<string, Known>();
  #cancelLook: (() => void) | undefined;
  #isClosed = false;

  constructor(options: MemberAddressesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#lookLater();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelLook?.();
  }

  /** Whether a member is known to be at this address. */
  has(host: string): boolean {
    const { members } = this.#options;
    return members.ids.some((id) => {
      const known = this.#known.get(id);
      if (known?.proven === host) return true;
      return members
        .routesOf(id)
        .some((route) => route.host === host || known?.resolved.get(route.host)?.includes(host));
    });
  }

  /** A member has shown its key from this address. */
  proven(validatorId: string, host: string): void {
    this.#knownOf(validatorId).proven = host;
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    this.#cancelLook = this.#options.clock.after(LOOK_MILLIS, () => {
      this.#forgetOthers();
      void this.#lookUpNext().finally(() => this.#lookLater());
    });
  }

  #forgetOthers(): void {
    for (const id of this.#known.keys()) if (!this.#options.members.has(id)) this.#known.delete(id);
  }

  async #lookUpNext(): Promise<void> {
    const { members, isLinked, clock } = this.#options;
    const now = clock.monotonic();
    for (const id of members.ids) {
      const names = members.routesOf(id).filter(({ host }) => canonicalHost(host) === undefined);
      if (names.length === 0 || isLinked(id)) continue;
      const known = this.#knownOf(id);
      if (now - known.lookedUpAtMillis < LOOK_UP_AGAIN_MILLIS) continue;
      known.lookedUpAtMillis = now;
      await this.#lookUp(known, names);
      return;
    }
  }

  /** Earlier addresses of a name are kept while it does not resolve. */
  async #lookUp({ resolved }: Known, routes: readonly Route[]): Promise<void> {
    for (const name of resolved.keys())
      if (!routes.some(({ host }) => host === name)) resolved.delete(name);
    for (const route of routes) {
      const hosts = await this.#options.findHosts(route).catch(() => []);
      if (hosts.length > 0) resolved.set(route.host, hosts);
    }
  }

  #knownOf(validatorId: string): Known {
    const existing = this.#known.get(validatorId);
    if (existing !== undefined) return existing;
    const known: Known = {
      resolved: new Map(),
      proven: undefined,
      lookedUpAtMillis: Number.NEGATIVE_INFINITY,
    };
    this.#known.set(validatorId, known);
    return known;
  }
}
