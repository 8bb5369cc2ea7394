/**
 * Makes shared wallets: each member writes its public key, and everybody makes the same wallet from all of them.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { result, resultJson } from 'svc-base/cli';
import { addressVerificationWords, createMultisigDescriptor, init, type Network } from 'svc-wasm';
import { Type } from 'typebox';
import { FileRefusal } from '../../file/file-refusal.ts';
import { memberKeyOf } from '../../file/open-wallet-file.ts';
import { createSharedFile } from '../../file/shared-file.ts';
import { policyOf } from '../../keys/fixed-addresses.ts';
import { asParameter } from '../../methods/params.ts';
import { statePath } from '../../state/open-state.ts';
import { readFileOf, writeNew } from '../offline/files.ts';
import { openKeys } from '../session/open-keys.ts';
import { showResult } from '../show/show-result.ts';
import { type CommandOptions, textOf, usage } from '../values.ts';
import { walletPlace } from '../wallet-options.ts';

const KeyFile = Type.Object(
  {
    svc_shared_key: Type.Literal(1),
    network: Type.String({ maxLength: 32 }),
    public_key_hex: Type.String({ pattern: '^[0-9a-f]+$', maxLength: 8_192 }),
  },
  { additionalProperties: false },
);

/** How many of how many sign. */
const THRESHOLDS: Readonly<Record<number, number>> = { 3: 2, 5: 3 };

export async function writeMemberKey(options: CommandOptions): Promise<void> {
  const out = textOf(options, 'out') as string;
  const { network, root } = await openKeys(walletPlace(options));
  try {
    writeNew(out, { svc_shared_key: 1, network, public_key_hex: memberKeyOf(root) });
  } finally {
    root.free();
  }
  show({ network, key: out }, options);
}

export async function makeShared(options: CommandOptions): Promise<void> {
  await init();
  const { file } = walletPlace(options);
  const network = textOf(options, 'network') as Network;
  const keys: string[] = [];
  for (const path of options['key'] as string[]) {
    const key = await readFileOf(KeyFile, path, '--key');
    if (key.network !== network) throw usage(`--key: ${path} is of ${key.network}, not ${network}`);
    keys.push(key.public_key_hex);
  }
  const threshold = THRESHOLDS[keys.length];
  if (threshold === undefined) throw usage('--key: a shared wallet has 3 members or 5');
  const descriptor = asParameter('invalid_params', 'key', () =>
    createMultisigDescriptor(String(threshold), JSON.stringify(keys)),
  );
  for (const existing of [file, statePath(file)]) {
    if (existsSync(existing)) throw new FileRefusal('exists', existing, 'exists already');
  }
  const keysFile = textOf(options, 'keysFile');
  const { address } = policyOf(descriptor, network);
  createSharedFile(file, {
    ...{ network, descriptor },
    keysFile: keysFile === undefined ? null : resolve(keysFile),
  });
  const words = addressVerificationWords(address);
  show({ file, network, address, words, threshold, members: keys.length }, options);
}

function show(facts: object, options: CommandOptions): void {
  if (options['json'] === true) resultJson(facts);
  else result(showResult('shared', facts));
}
