/**
 * Makes watch-only wallets: the machine with the keys writes a list of its addresses, another one watches them.
 */
import { existsSync } from 'node:fs';
import { result, resultJson } from 'svc-base/cli';
import { addressFromPublicKey, init, type Network, SvcError } from 'svc-wasm';
import { Type } from 'typebox';
import { FileRefusal } from '../../file/file-refusal.ts';
import { readSecret } from '../../file/secret-file.ts';
import {
  addWatched,
  createWatchFile,
  parseWatchFile,
  WATCHED_MAX,
  type WatchFile,
} from '../../file/watch-file.ts';
import { ACCOUNT } from '../../spend/build.ts';
import { statePath } from '../../state/open-state.ts';
import { readFileOf, writeNew } from '../offline/files.ts';
import { openKeys } from '../session/open-keys.ts';
import { showResult } from '../show/show-result.ts';
import { type CommandOptions, textOf, usage } from '../values.ts';
import { walletPlace } from '../wallet-options.ts';

const AddressList = Type.Object(
  {
    svc_addresses: Type.Literal(1),
    network: Type.String({ maxLength: 32 }),
    addresses: Type.Array(Type.String({ maxLength: 256 }), { minItems: 1, maxItems: WATCHED_MAX }),
  },
  { additionalProperties: false },
);

/** Writes the first receiving addresses of a wallet; no node is asked. */
export async function exportAddresses(options: CommandOptions): Promise<void> {
  const out = textOf(options, 'out') as string;
  const count = options['count'] as number;
  const { network, root } = await openKeys(walletPlace(options));
  try {
    const addresses = Array.from({ length: count }, (_, position) =>
      addressFromPublicKey(root.derivePublicKey(ACCOUNT, 0, position), network),
    );
    writeNew(out, { svc_addresses: 1, network, addresses });
  } finally {
    root.free();
  }
  show({ network, addresses: count, list: out }, options);
}

export async function makeWatched(options: CommandOptions): Promise<void> {
  await init();
  const { file } = walletPlace(options);
  const network = textOf(options, 'network') as Network;
  const addresses = await addressesOf(options, network);
  for (const existing of [file, statePath(file)]) {
    if (existsSync(existing)) throw new FileRefusal('exists', existing, 'exists already');
  }
  tell(
    file,
    checking(() => createWatchFile(file, network, addresses)),
    options,
  );
}

export async function addToWatched(options: CommandOptions): Promise<void> {
  await init();
  const { file } = walletPlace(options);
  const before = parseWatchFile(file, readSecret(file));
  if (before === undefined) throw new FileRefusal('damaged', file, 'is no watch-only wallet');
  const addresses = await addressesOf(options, before.network);
  tell(
    file,
    checking(() => addWatched(file, before, addresses)),
    options,
  );
}

async function addressesOf(options: CommandOptions, network: string): Promise<string[]> {
  const path = textOf(options, 'addresses');
  const found = [...((options['address'] as string[] | undefined) ?? [])];
  if (path !== undefined) {
    const list = await readFileOf(AddressList, path, '--addresses');
    if (list.network !== network) throw usage(`--addresses: is of ${list.network}, not ${network}`);
    found.push(...list.addresses);
  }
  if (found.length === 0) throw usage('give --address or --addresses');
  return [...new Set(found.map((address) => address.toLowerCase()))];
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

function tell(file: string, { addresses, id, network }: WatchFile, options: CommandOptions): void {
  show({ file, network, fingerprint: id, addresses: addresses.length }, options);
}

function show(facts: object, options: CommandOptions): void {
  if (options['json'] === true) resultJson(facts);
  else result(showResult('watch', facts));
}
