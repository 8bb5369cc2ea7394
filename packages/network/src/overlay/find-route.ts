/**
 * Turns a registered route into an address to dial. Routes are untrusted and dialled by every validator, so
 * they must not lead into a private network: the name is resolved first, the address is judged, and that very address
 * is dialled.
 */
import { lookup } from 'node:dns/promises';
import { canonicalHost, isPublic, type SocketAddress } from '../base/addresses.ts';
import type { Route } from './endpoint.ts';

export interface RouteRules {
  /** The development network alone. */
  readonly allowPrivateAddresses: boolean;
  /** Where this node itself listens. */
  readonly ownAddresses: readonly SocketAddress[];
  /** All addresses of a name. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

const LOOKUP_MILLIS_MAX = 5_000;
const ADDRESSES_MAX = 4;

/** The addresses of a route that may be dialled; none if there are none. */
export async function findRoute(route: Route, rules: RouteRules): Promise<SocketAddress[]> {
  if (!route.tcp) return [];
  const literal = canonicalHost(route.host);
  const { resolve = resolveName } = rules;
  const hosts = literal === undefined ? await resolve(route.host) : [literal];
  return hosts
    .map((host) => canonicalHost(host))
    .filter((host) => host !== undefined)
    .map((host) => ({ host, port: route.port }))
    .filter((address) => mayDial(address, rules))
    .slice(0, ADDRESSES_MAX);
}

function mayDial({ host, port }: SocketAddress, rules: RouteRules): boolean {
  if (!rules.allowPrivateAddresses && !isPublic(host)) return false;
  return !rules.ownAddresses.some((own) => own.host === host && own.port === port);
}

async function resolveName(name: string): Promise<readonly string[]> {
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(reject, LOOKUP_MILLIS_MAX, new Error(`no address of ${name} in time`)).unref();
  });
  const found = await Promise.race([lookup(name, { all: true }), timeout]);
  return found.map(({ address }) => address);
}
