/**
 * Values of the command lines of bridge and pool. What cannot be understood is refused with what was expected.
 */
import { readFileSync } from 'node:fs';
import { parseBind, usageError } from 'svc-base/cli';
import type { Bind } from 'svc-base/node';
import { messageOf } from 'svc-base/pure';
import type { Certificate } from './listeners/socket-listener.ts';

/** The mining listener of a node on this machine. */
export const DEFAULT_NODE_URL = 'http://127.0.0.1:28702';
/** Switches an option off that has a value of its own otherwise. */
export const OFF = 'off';

const EXPLORER_EXAMPLE = 'https://node.example.org/ui';
const ORIGIN = /^https?:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?$/;

/** Addresses to listen on, without those that are switched off. */
export function parseBinds(texts: readonly string[], option: string): readonly Bind[] {
  return texts.filter((text) => text !== OFF).map((text) => parseBind(text, option));
}

export function parseHttpUrl(text: string, option: string, example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' && url.pathname === '/') return url;
  throw usageError(`${option}: expected an address such as ${example}, found ${text}`);
}

export function parseOrigin(text: string): string {
  if (text === '*' || ORIGIN.test(text)) return text;
  throw usageError(`--ws-origin: expected an origin such as https://example.org, found ${text}`);
}

export function parseDifficulty(text: string, option: string): bigint {
  if (/^[1-9][0-9]{0,29}$/.test(text)) return BigInt(text);
  throw usageError(`${option}: expected a number of hashes, found ${text}`);
}

export function parsePowMode(text: string): 'light' | 'full' {
  if (text === 'light' || text === 'full') return text;
  throw usageError(`--pow: expected light or full`);
}

/** The certificate of the listeners with TLS; `option` is the one that asks for it. */
export function readCertificate(
  option: string,
  certificateFile: string | undefined,
  keyFile: string | undefined,
): Certificate {
  if (certificateFile === undefined || keyFile === undefined)
    throw usageError(`${option} needs --tls-certificate and --tls-key`);
  try {
    return { cert: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  } catch (error) {
    throw usageError(`the certificate cannot be read: ${messageOf(error)}`);
  }
}

/** The page of a node, to which documents and pages link: links are this address with what follows a slash. */
export function parseExplorer(text: string): string {
  const { protocol, origin, pathname } = URL.canParse(text) ? new URL(text) : new URL('none:');
  if (protocol === 'https:' || protocol === 'http:')
    return `${origin}${pathname}`.replace(/\/+$/, '');
  throw usageError(`--explorer: expected an address such as ${EXPLORER_EXAMPLE}, found ${text}`);
}
