/**
 * Makes shared wallets: each member writes its public key, and every member makes the same wallet from all of them.
 */

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MethodResult } from 'svc-api/rpc';
import { CliError, EXIT, note } from 'svc-base/cli';
import { addressVerificationWords, createMultisigDescriptor, init, type Network } from 'svc-wasm';
import { Type } from 'typebox';
import { FileRefusal } from '../../errors.ts';
import { memberKeyOf } from '../../file/open-wallet-file.ts';
import { createSharedFile } from '../../file/shared-file.ts';
import { policyOf } from '../../keys/fixed-addresses.ts';
import { asParameter } from '../../methods/method.ts';
import { statePath } from '../../state/open-state.ts';
import { recipientOf } from '../input.ts';
import { openKeys } from '../keys.ts';
import { askYes, type CommandOptions, needsYes, textOf, usage, walletPlace } from '../options.ts';
import { withSession } from '../session/open-session.ts';
import { type PaidAmount, paidLines, print, showResult } from '../show.ts';
import { readFileOf, writeNew } from './files.ts';
import { waitFinal } from './rows.ts';

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
  print(options, 'shared', { network, key: out });
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
  print(options, 'shared', { file, network, address, words, threshold, members: keys.length });
}

const PackageFile = Type.Object(
  {
    svc_shared_package: Type.Literal(1),
    package_hex: Type.String({ pattern: '^([0-9a-f]{2})+$', maxLength: 120_000 }),
  },
  { additionalProperties: false },
);

export async function proposePayment(options: CommandOptions): Promise<void> {
  const given = textOf(options, 'requestId');
  const request_id = given ?? `cli-${randomUUID()}`;
  if (given === undefined) note(`request id ${request_id}`);
  const recipients = (options['pay'] as string[]).map((pair) => recipientOf(pair, '=', '--pay'));
  const fee_per_mass = textOf(options, 'feePerMass');
  const valid_cuts = options['validCuts'] as number | undefined;
  await withSession(options, 'chain', 'shared-propose', async (session) => {
    const answer = await session.call('shared_propose', {
      ...{ recipients, request_id },
      ...(fee_per_mass === undefined ? {} : { fee_per_mass }),
      ...(valid_cuts === undefined ? {} : { valid_cuts }),
    });
    if (answer.mismatch === true) {
      const message = `request id ${request_id} was used before with other parameters; nothing was proposed now`;
      throw new CliError(EXIT.refused, message, { hint: 'another payment needs another name' });
    }
    const { package_hex, ...review } = answer;
    writePackage(options, package_hex);
    showPayment({ ...review, package: textOf(options, 'out') }, options);
  });
}

export async function reviewPayment(options: CommandOptions): Promise<void> {
  const package_hex = await readPackage(textOf(options, 'package') as string);
  await withSession(options, 'chain', 'shared-review', async (session) => {
    showPayment(await session.call('shared_review', { package_hex }), options);
  });
}

export async function signPayment(options: CommandOptions): Promise<void> {
  const package_hex = await readPackage(textOf(options, 'package') as string);
  await withSession(options, 'chain', 'shared-sign', async (session) => {
    const review = await session.call('shared_review', { package_hex });
    if (needsYes(options)) {
      note(showShared(review));
      if (!(await askYes('Sign this payment?')))
        throw new CliError(EXIT.failed, 'nothing was signed');
    }
    const { digest } = review;
    const { package_hex: signed, ...after } = await session.call('shared_sign', {
      package_hex,
      digest,
    });
    writePackage(options, signed);
    showPayment({ ...after, package: textOf(options, 'out') }, options);
  });
}

export async function submitPayment(options: CommandOptions): Promise<void> {
  const packages_hex: string[] = [];
  for (const path of options['package'] as string[]) packages_hex.push(await readPackage(path));
  const need = options['wait'] === true ? 'follow' : 'chain';
  await withSession(options, need, 'shared-submit', async (session) => {
    const answer = await session.call('shared_submit', { packages_hex });
    const outcome = options['wait'] === true ? await waitFinal(session, answer) : {};
    showPayment({ ...answer, ...outcome }, options);
  });
}

async function readPackage(path: string): Promise<string> {
  return (await readFileOf(PackageFile, path, '--package')).package_hex;
}

function writePackage(options: CommandOptions, packageHex: string): void {
  writeNew(textOf(options, 'out') as string, { svc_shared_package: 1, package_hex: packageHex });
}

function showPayment(facts: Reviewed, options: CommandOptions): void {
  print(options, '', facts, showShared(facts));
}

interface Reviewed {
  readonly payments: readonly PaidAmount[];
  readonly change: readonly PaidAmount[];
  readonly inputs: readonly object[];
  readonly payloads: MethodResult<'shared_review'>['payloads'];
  readonly [fact: string]: unknown;
}

function showShared({ change, inputs, payloads, payments, ...rest }: Reviewed): string {
  return showResult('shared', {
    ...rest,
    payments: paidLines('PAID', payments),
    change: paidLines('BACK TO THE SHARED WALLET', change),
    inputs,
    // Text is quoted and comes last, so that none of it can be taken for something else.
    payloads: payloads.map(({ output, payload_hex, payload_text }) => ({
      'CARRIED FOR OUTPUT': output,
      bytes: payload_hex,
      text: payload_text === null ? null : JSON.stringify(payload_text),
    })),
  });
}
