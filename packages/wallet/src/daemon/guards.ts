/**
 * What keeps web pages away from the daemon: a page of another origin, a name that was bound anew to this
 * machine, a form. None of these can be made to pass by the page's own code.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

export interface GuardOptions {
  /** Where the daemon listens. */
  readonly port: number;
  readonly isRemote: boolean;
  /** Names under which a proxy with TLS serves the daemon. */
  readonly hostNames: readonly string[];
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([0-9]{1,5}))?$/;

export function guard(request: IncomingMessage, options: GuardOptions): Refusal | undefined {
  if (!isOwnHost(request.headers.host, options)) {
    return {
      status: 403,
      code: 'host_not_allowed',
      message: 'the Host header names no host of this daemon',
      hint: 'call it as 127.0.0.1, or name the host with --host-name',
    };
  }
  if (request.headers.origin !== undefined) {
    return {
      status: 403,
      code: 'origin_not_allowed',
      message: 'web pages may not call the daemon',
    };
  }
  return undefined;
}

function isOwnHost(
  header: string | undefined,
  { hostNames, isRemote, port }: GuardOptions,
): boolean {
  const match = HOST.exec(header?.toLowerCase() ?? '');
  if (match === null) return false;
  const [, name = '', given] = match;
  if (hostNames.includes(name)) return true;
  if (Number(given ?? 80) !== port) return false;
  if (LOOPBACK_NAMES.includes(name)) return true;
  // A page can bind its own name to any address, and it cannot send an address in place of its name.
  return isRemote && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
