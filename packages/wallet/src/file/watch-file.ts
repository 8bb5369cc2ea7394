/**
 * The file of a watch-only wallet: addresses whose keys are elsewhere. It holds no secret, but a program that changes it
 * could have payments of others counted: it is kept like one.
 */
import { randomBytes } from 'node:crypto';
import { type AddressDocument, type Network, parseAddress, SvcError } from 'svc-wasm';
import { expectNetwork, Fields } from 'svc-wasm/base';
import { FileRefusal } from '../errors.ts';
import type { ListedAddress } from '../keys/address-list.ts';
import { createSecret, replaceSecret } from './secret-file.ts';

const MARK = 'svc_watch_wallet';
const VERSION = 1n;
const FIELDS = [MARK, 'network', 'id', 'addresses', 'labels', 'signer', 'listed'];
const LABEL_CHARACTERS_MAX = 128;
const ID_BYTES = 8;
const ID = /^[0-9a-f]{16}$/;
export const WATCHED_MAX = 10_000;

export interface WatchFile {
  readonly network: Network;
  /** What the state beside the file is known by; it stays when addresses are added. */
  readonly id: string;
  /** In the order in which they were added. */
  readonly addresses: readonly string[];
  /** One for each address. */
  readonly labels: readonly (string | null)[];
  /** Who signed the lists that the addresses came from; null if none came from a list. */
  readonly signer: string | null;
  /** How many addresses of the signer the wallet has, from the signer's first on. */
  readonly listed: number;
}

/** Addresses for a wallet to watch: single ones, or a list with its signer and the position at which it begins. */
export interface Watched {
  readonly addresses: readonly ListedAddress[];
  readonly list: { readonly signer: string; readonly first: number } | null;
}

export function createWatchFile(path: string, network: Network, watched: Watched): WatchFile {
  const id = randomBytes(ID_BYTES).toString('hex');
  const none = { network, id, addresses: [], labels: [], signer: null, listed: 0 };
  const contents = grown(none, watched);
  createSecret(path, bytesOf(checked(contents)));
  return contents;
}

/** Adds addresses that the file lacks. A process that has the wallet open sees them when it starts again. */
export function addWatched(path: string, before: WatchFile, watched: Watched): WatchFile {
  const contents = grown(before, watched);
  replaceSecret(path, bytesOf(checked(contents)));
  return contents;
}

/** Later lists are the same signer's, and leave no address out. */
function grown(before: WatchFile, { addresses, list }: Watched): WatchFile {
  const { listed, signer } = before;
  if (list !== null && signer !== null && list.signer !== signer) {
    throw new SvcError('wrong_request', `the list is signed by ${list.signer}, not ${signer}`);
  }
  if (list !== null && list.first > listed) {
    const found = `the list begins at ${list.first}, and the wallet has ${listed} of its signer`;
    throw new SvcError('bad_length', found);
  }
  const known = new Set(before.addresses);
  const added = addresses.filter(({ address }) => !known.has(address));
  const reached = list === null ? 0 : list.first + addresses.length;
  return {
    ...before,
    addresses: [...before.addresses, ...added.map(({ address }) => address)],
    labels: [...before.labels, ...added.map(({ label }) => label)],
    signer: list?.signer ?? signer,
    listed: Math.max(listed, reached),
  };
}

/** The contents of a watch-only wallet; undefined for a file that is none. */
export function parseWatchFile(path: string, bytes: Uint8Array): WatchFile | undefined {
  const text = new TextDecoder().decode(bytes);
  if (!text.startsWith(`{"${MARK}"`)) return undefined;
  try {
    const fields = Fields.parse(text, 'wallet', FIELDS);
    fields.decimal(MARK, { min: VERSION, max: VERSION });
    return checked({
      network: expectNetwork(fields.value('network'), fields.at('network')),
      id: fields.string('id', 2 * ID_BYTES),
      addresses: fields.array('addresses', WATCHED_MAX) as readonly string[],
      labels: fields.array('labels', WATCHED_MAX) as readonly (string | null)[],
      signer: fields.value('signer') as string | null,
      listed: Number(fields.decimal('listed', { max: BigInt(WATCHED_MAX) })),
    });
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw new FileRefusal('damaged', path, cause.message, undefined, cause);
  }
}

function checked(contents: WatchFile): WatchFile {
  const { addresses, id, labels, network, signer } = contents;
  if (!ID.test(id)) throw new SvcError('bad_text', 'expected 16 hexadecimal characters');
  if (addresses.length === 0 || addresses.length > WATCHED_MAX) {
    const found = `expected 1 to ${WATCHED_MAX} addresses, found ${addresses.length}`;
    throw new SvcError('bad_length', found);
  }
  if (labels.length !== addresses.length || !labels.every(isLabel)) {
    throw new SvcError('bad_text', 'expected a label or null for each address');
  }
  if (signer !== null) parseAddress(signer, network);
  const seen = new Set<string>();
  for (const address of addresses) {
    const { type } = JSON.parse(parseAddress(address, network)) as AddressDocument;
    if (type === 'burn') throw new SvcError('burn_not_allowed', 'nobody owns the burn address');
    if (address !== address.toLowerCase() || seen.has(address)) {
      throw new SvcError('bad_address', `${address} is there twice, or in capitals`);
    }
    seen.add(address);
  }
  return contents;
}

function isLabel(label: unknown): boolean {
  return label === null || (typeof label === 'string' && label.length <= LABEL_CHARACTERS_MAX);
}

function bytesOf({ addresses, id, labels, listed, network, signer }: WatchFile): Uint8Array {
  const more = { labels, signer, listed: String(listed) };
  const document = { [MARK]: String(VERSION), network, id, addresses, ...more };
  return new TextEncoder().encode(`${JSON.stringify(document)}\n`);
}
