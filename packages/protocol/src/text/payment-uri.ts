/**
 * Payment URIs in the manner of BIP-21: `svc:<address>?amount=1.25&label=…&message=…`. The scheme is `svc` on every
 * network; the address names the network. An unknown key that starts with `req-` refuses the URI, any other unknown
 * key is ignored, and no key occurs twice.
 */
import { Fields } from '../base/fields.ts';
import { kindOf } from '../base/kind-of.ts';
import type { Network } from '../base/networks.ts';
import { expectNetwork } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import type { AddressType } from './address.ts';
import { addressType, decodeAddress, encodeAddress } from './address.ts';
import { readCoins, writeCoins } from './amount.ts';
import { percentDecode, percentEncode } from './percent.ts';
import { expectShownText } from './shown-text.ts';

const URI_CHARACTERS_MAX = 4096;
const LABEL_BYTES_MAX = 128;
const MESSAGE_BYTES_MAX = 512;

const PATH = 'uri';
const SCHEME = /^svc:/i;
const KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** What `formatPaymentUri` takes; the amount is in coins. */
export interface PaymentUriRequest {
  readonly network: Network;
  readonly address: string;
  readonly amount?: string;
  readonly label?: string;
  readonly message?: string;
}

/** What `parsePaymentUri` returns; the amount is there in coins and in atoms, or not at all. */
export interface PaymentUriDocument extends PaymentUriRequest {
  readonly type: AddressType;
  readonly amount_atoms?: string;
}

/** Reads a payment URI for a network. Answers a `PaymentUriDocument`. */
export function parsePaymentUri(uri: string, network: string): string {
  const expected = expectNetwork(network, 'network');
  if (typeof uri !== 'string') {
    throw new SvcError('bad_type', `expected a payment URI, found ${kindOf(uri)}`, { path: PATH });
  }
  if (uri.length > URI_CHARACTERS_MAX) {
    throw new SvcError('bad_uri', `longer than ${URI_CHARACTERS_MAX} characters`, { path: PATH });
  }
  if (!SCHEME.test(uri)) {
    throw new SvcError('bad_uri', "expected the scheme 'svc:'", { path: PATH });
  }
  const mark = uri.indexOf('?');
  const addressText = uri.slice('svc:'.length, mark < 0 ? undefined : mark);
  const bytes = decodeAddress(addressText, expected, `${PATH}.address`);
  const values = mark < 0 ? new Map<string, string>() : readQuery(uri.slice(mark + 1));
  return JSON.stringify({
    network: expected,
    address: encodeAddress(bytes, expected),
    type: addressType(bytes),
    ...readAmount(values.get('amount')),
    ...readShown(values, 'label', LABEL_BYTES_MAX),
    ...readShown(values, 'message', MESSAGE_BYTES_MAX),
  } satisfies PaymentUriDocument);
}

/** Writes a payment URI from a `PaymentUriRequest`. */
export function formatPaymentUri(requestJson: string): string {
  const names = ['network', 'address', 'amount', 'label', 'message'];
  const fields = Fields.parse(requestJson, '', names);
  const network = expectNetwork(fields.value('network'), fields.at('network'));
  const bytes = decodeAddress(fields.value('address'), network);
  const query: string[] = [];
  if (fields.has('amount')) query.push(`amount=${shortCoins(fields.value('amount'))}`);
  for (const [name, bytesMax] of [
    ['label', LABEL_BYTES_MAX],
    ['message', MESSAGE_BYTES_MAX],
  ] as const) {
    if (!fields.has(name)) continue;
    query.push(`${name}=${percentEncode(expectShownText(fields.string(name), name, bytesMax))}`);
  }
  const base = `svc:${encodeAddress(bytes, network)}`;
  return query.length === 0 ? base : `${base}?${query.join('&')}`;
}

function readQuery(query: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const key = equals < 0 ? pair : pair.slice(0, equals);
    if (equals < 0 || !KEY.test(key)) {
      throw new SvcError('bad_uri', 'expected key=value with a key in lower case', { path: PATH });
    }
    if (values.has(key)) {
      throw new SvcError('bad_uri', `the key ${key} occurs twice`, { path: PATH });
    }
    if (key.startsWith('req-')) {
      throw new SvcError('bad_uri', `requires ${key}, which this release does not know`, {
        path: PATH,
      });
    }
    values.set(key, percentDecode(pair.slice(equals + 1), `${PATH}.${key}`));
  }
  return values;
}

function readAmount(coins: string | undefined): { amount?: string; amount_atoms?: string } {
  if (coins === undefined) return {};
  const atoms = positiveCoins(coins, `${PATH}.amount`);
  return { amount: writeCoins(atoms), amount_atoms: String(atoms) };
}

function readShown(
  values: ReadonlyMap<string, string>,
  name: string,
  bytesMax: number,
): Record<string, string> {
  const text = values.get(name);
  return text === undefined ? {} : { [name]: expectShownText(text, `${PATH}.${name}`, bytesMax) };
}

function positiveCoins(coins: unknown, path: string): bigint {
  const atoms = readCoins(coins, path);
  if (atoms === 0n) throw new SvcError('bad_amount', 'expected more than zero', { path });
  return atoms;
}

function shortCoins(coins: unknown): string {
  return writeCoins(positiveCoins(coins, 'amount')).replace(/\.?0+$/, '');
}
