/**
 * Makes watch-only wallets: the machine with the keys writes and signs a list of its addresses, another one checks the list
 * and watches them.
 */
import { existsSync } from 'node:fs';
import { init, type Network, SvcError } from 'svc-wasm';
import { Type } from 'typebox';
import { FileRefusal } from '../../errors.ts';
import { readSecret } from '../../file/secret-file.ts';
import {
  addWatched,
  createWatchFile,
  parseWatchFile,
  WATCHED_MAX,
  type Watched,
  type WatchFile,
} from '../../file/watch-file.ts';
import { signAddressList, verifyAddressList } from '../../keys/address-list.ts';
import { statePath } from '../../state/open-state.ts';
import { readText } from '../input.ts';
import { openKeys } from '../keys.ts';
import { type CommandOptions, textOf, usage, walletPlace } from '../options.ts';
import { print } from '../show.ts';
import { readFileOf, writeNew } from './files.ts';

const LABEL_CHARACTERS_MAX = 128;
const Address = Type.String({ maxLength: 256 });
const Label = Type.Union([Type.String({ maxLength: LABEL_CHARACTERS_MAX }), Type.Null()]);
const Listed = Type.Object({ address: Address, label: Label }, { additionalProperties: false });

const ListFile = Type.Object(
  {
    svc_addresses: Type.Literal(2),
    network: Type.String({ maxLength: 32 }),
    signer: Address,
    first: Type.Integer({ minimum: 0, maximum: WATCHED_MAX }),
    addresses: Type.Array(Listed, { minItems: 1, maxItems: WATCHED_MAX }),
    public_key_hex: Type.String({ maxLength: 4_096 }),
    signature_hex: Type.String({ maxLength: 8_192 }),
  },
  { additionalProperties: false },
);

/** Writes receiving addresses of a wallet, signed; no node is asked. */
export async function exportAddresses(options: CommandOptions): Promise<void> {
  const out = textOf(options, 'out') as string;
  const count = options['count'] as number;
  const first = (options['from'] as number | undefined) ?? 0;
  const given = await labelsOf(textOf(options, 'labels'));
  if (given.length > count) throw usage(`--labels: ${given.length} lines for ${count} addresses`);
  const labels = Array.from({ length: count }, (_, at) => given[at] ?? null);
  const { network, root } = await openKeys(walletPlace(options));
  try {
    const list = signAddressList(root, network, first, labels);
    writeNew(out, { svc_addresses: 2, ...list });
    print(options, 'watch', { network, signer: list.signer, first, addresses: count, list: out });
  } finally {
    root.free();
  }
}

/** A line for each address; an empty one is no label. */
async function labelsOf(path: string | undefined): Promise<(string | null)[]> {
  if (path === undefined) return [];
  const lines = (await readText(path)).replace(/\r?\n$/, '').split(/\r?\n/);
  const long = lines.find((line) => line.length > LABEL_CHARACTERS_MAX);
  if (long !== undefined)
    throw usage(`--labels: a label has at most ${LABEL_CHARACTERS_MAX} characters, found ${long}`);
  return lines.map((line) => (line.trim() === '' ? null : line.trim()));
}

export async function makeWatched(options: CommandOptions): Promise<void> {
  await init();
  const { file } = walletPlace(options);
  const network = textOf(options, 'network') as Network;
  const watched = await watchedOf(options, network);
  for (const existing of [file, statePath(file)]) {
    if (existsSync(existing)) throw new FileRefusal('exists', existing, 'exists already');
  }
  tell(
    file,
    checking(() => createWatchFile(file, network, watched)),
    options,
  );
}

export async function addToWatched(options: CommandOptions): Promise<void> {
  await init();
  const { file } = walletPlace(options);
  const before = parseWatchFile(file, readSecret(file));
  if (before === undefined) throw new FileRefusal('damaged', file, 'is no watch-only wallet');
  const watched = await watchedOf(options, before.network);
  tell(
    file,
    checking(() => addWatched(file, before, watched)),
    options,
  );
}

async function watchedOf(options: CommandOptions, network: Network): Promise<Watched> {
  const path = textOf(options, 'addresses');
  const single = (options['address'] as string[] | undefined) ?? [];
  if (path === undefined && single.length === 0) throw usage('give --address or --addresses');
  if (path === undefined) {
    const texts = new Set(single.map((address) => address.toLowerCase()));
    return { addresses: [...texts].map((address) => ({ address, label: null })), list: null };
  }
  if (single.length > 0) throw usage('give --address or --addresses, not both');
  return await readList(path, network, textOf(options, 'signer'));
}

/** A list is taken as its signer signed it, or not at all. */
async function readList(
  path: string,
  network: Network,
  expected: string | undefined,
): Promise<Watched> {
  const read = await readFileOf(ListFile, path, '--addresses');
  if (read.network !== network) throw usage(`--addresses: is of ${read.network}, not ${network}`);
  const { svc_addresses: _, ...list } = { ...read, network };
  try {
    verifyAddressList(list);
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    const hint = 'export it again; nothing of it was taken';
    throw new FileRefusal('damaged', path, `is not what its signer signed: ${cause.message}`, hint);
  }
  const { addresses, first, signer } = list;
  if (expected !== undefined && expected.toLowerCase() !== signer) {
    const hint = 'compare --signer with what watch-export showed';
    throw new FileRefusal('wrong_wallet', path, `is signed by ${signer}`, hint);
  }
  return { addresses, list: { signer, first } };
}

/** What is wrong with an address is wrong with the options. */
function checking(make: () => WatchFile): WatchFile {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof SvcError) throw usage(cause.message);
    throw cause;
  }
}

function tell(file: string, watched: WatchFile, options: CommandOptions): void {
  const { addresses, id: fingerprint, network, signer } = watched;
  const signed = signer === null ? {} : { signer };
  print(options, 'watch', { file, network, fingerprint, addresses: addresses.length, ...signed });
}
