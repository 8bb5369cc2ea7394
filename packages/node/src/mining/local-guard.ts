/**
 * Admits programs of this machine and nothing else: the connection comes from a loopback address, the Host
 * header names this listener (a page that rebinds its own name sends that), and no browser page asks.
 */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { Refused } from '../http/answers/refused.ts';

const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

export function isLoopback(address: string | undefined): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'loopback';
}

/** Throws a refusal of requests that are not for this listener or not from this machine. */
export function expectLocal({ socket, headers }: IncomingMessage, port: number): void {
  if (!isLoopback(socket.remoteAddress))
    throw new Refused('not_local', 'the mining listener serves programs of its own machine alone');
  const host = (headers.host ?? '').toLowerCase();
  if (!OWN_NAMES.some((name) => host === `${name}:${port}`))
    throw new Refused('host_not_allowed', `expected the Host ${OWN_NAMES[0]}:${port}`);
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || (site !== undefined && site !== 'none'))
    throw new Refused('origin_not_allowed', 'the mining listener serves no web pages');
}
