/**
 * The file of a watch-only wallet: addresses whose keys are elsewhere. It holds no secret, but whoever could change it
 * could have payments of others counted: it is kept like one.
 */
import { randomBytes } from 'node:crypto';
import { type AddressDocument, type Network, parseAddress, SvcError } from 'svc-wasm';
import { expectNetwork, Fields } from 'svc-wasm/base';
import { FileRefusal } from './file-refusal.ts';
import { createSecret, replaceSecret } from './secret-file.ts';

const MARK = 'svc_watch_wallet';
const VERSION = 1n;
const ID_BYTES = 8;
const ID = /^[0-9a-f]{16}$/;
export const WATCHED_MAX = 10_000;

export interface WatchFile {
  readonly network: Network;
  /** What the state beside the file is known by; it stays when addresses are added. */
  readonly id: string;
  /** In the order in which they were added. */
  readonly addresses: readonly string[];
}

export function createWatchFile(
  path: string,
  network: Network,
  addresses: readonly string[],
): WatchFile {
  const contents = { network, id: randomBytes(ID_BYTES).toString('hex'), addresses };
  createSecret(path, bytesOf(checked(contents)));
  return contents;
}

/** Adds addresses that the file lacks. A process that has the wallet open sees them when it starts again. */
export function addWatched(
  path: string,
  before: WatchFile,
  addresses: readonly string[],
): WatchFile {
  const known = new Set(before.addresses);
  const added = addresses.filter((address) => !known.has(address));
  const contents = { ...before, addresses: [...before.addresses, ...added] };
  replaceSecret(path, bytesOf(checked(contents)));
  return contents;
}

/** The contents of a watch-only wallet; undefined for a file that is none. */
export function parseWatchFile(path: string, bytes: Uint8Array): WatchFile | undefined {
  const text = new TextDecoder().decode(bytes);
  if (!text.startsWith(`{"${MARK}"`)) return undefined;
  try {
    const fields = Fields.parse(text, 'wallet', [MARK, 'network', 'id', 'addresses']);
    fields.decimal(MARK, { min: VERSION, max: VERSION });
    return checked({
      network: expectNetwork(fields.value('network'), fields.at('network')),
      id: fields.string('id', 2 * ID_BYTES),
      addresses: fields.array('addresses', WATCHED_MAX) as readonly string[],
    });
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw new FileRefusal('damaged', path, cause.message, undefined, cause);
  }
}

function checked(contents: WatchFile): WatchFile {
  const { addresses, id, network } = contents;
  if (!ID.test(id)) throw new SvcError('bad_text', 'expected 16 hexadecimal characters');
  if (addresses.length === 0 || addresses.length > WATCHED_MAX) {
    const found = `expected 1 to ${WATCHED_MAX} addresses, found ${addresses.length}`;
    throw new SvcError('bad_length', found);
  }
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

function bytesOf({ addresses, id, network }: WatchFile): Uint8Array {
  const document = { [MARK]: String(VERSION), network, id, addresses };
  return new TextEncoder().encode(`${JSON.stringify(document)}\n`);
}
