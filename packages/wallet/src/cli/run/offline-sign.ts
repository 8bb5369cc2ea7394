/**
 * Signs a request file with the keys of a wallet, after showing what it pays. Everything that is shown is read
 * from the bytes that are signed.
 */

import { CliError, EXIT, note } from 'svc-base/cli';
import {
  addressFromPublicKey,
  assembleTransaction,
  type BodyInspection,
  BRANCHES,
  encodeTransactionBody,
  encodeWitnessWithProfile,
  formatAmount,
  inspectTransactionBody,
  type Network,
  spendMessage,
  type TransactionVerification,
  validateManifest,
  verifyTransactionWithReferencedKeys,
  type WalletRoot,
} from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { coinsOf } from '../../amounts.ts';
import { WalletError } from '../../errors.ts';
import type { WalletKeys } from '../../file/open-wallet-file.ts';
import { ACCOUNT } from '../../keys/key-ring.ts';
import { asParameter, feeMaxOf } from '../../methods/method.ts';
import { GAP_DEFAULT } from '../../scan/scanner.ts';
import { FEE_MAX_DEFAULT } from '../../wallet.ts';
import { openKeys } from '../keys.ts';
import { askYes, type CommandOptions, needsYes, textOf, usage, walletPlace } from '../options.ts';
import { type PaidAmount, paidLines, print, showResult } from '../show.ts';
import { RequestFile, readFileOf, writeNew } from './files.ts';

/** What is shown of a request; `--json` prints it as it is. */
interface Review {
  readonly payments: readonly PaidAmount[];
  readonly back_to_this_wallet: readonly PaidAmount[];
  readonly [fact: string]: unknown;
}

export async function signRequest(options: CommandOptions): Promise<void> {
  const request = await readFileOf(RequestFile, textOf(options, 'request') as string, '--request');
  const out = textOf(options, 'out');
  const isDryRun = options['dryRun'] === true;
  if (out === undefined && !isDryRun) throw usage('--out: the signed payment needs a file');
  const keys = await openKeys(walletPlace(options));
  try {
    const { body, manifest, paths, review } = reviewOf(request, keys, options);
    if (isDryRun || out === undefined) {
      show({ ...review, dry_run: true }, options);
      return;
    }
    await expectAgreement(review, options);
    const { transactionId, wire } = signBody(keys.root, request, body, manifest, paths);
    writeNew(out, {
      svc_offline_signed: 1,
      chain_id: request.chain_id,
      transaction_id: transactionId,
      wire_hex: toHex(wire),
    });
    show({ ...review, transaction: transactionId, signed: out }, options);
  } finally {
    keys.root.free();
  }
}

function reviewOf(request: RequestFile, { root, network }: WalletKeys, options: CommandOptions) {
  const manifest = asParameter('invalid_params', 'request', () =>
    validateManifest(JSON.stringify(request.manifest)),
  );
  const body = asParameter('invalid_params', 'request', () =>
    encodeTransactionBody(JSON.stringify(request.transaction), manifest),
  );
  const said = JSON.parse(inspectTransactionBody(body, manifest)) as BodyInspection;
  if (said.network !== network) {
    throw new WalletError('wrong_chain', `the wallet is for ${network}, not ${said.network}`);
  }
  const gap = (options['gap'] as number | undefined) ?? GAP_DEFAULT;
  const wanted = [...request.spent, ...said.outputs].map(({ address }) => address);
  const paths = findPaths(root, network, new Set(wanted), gap);
  expectOwn(request, said, paths);
  const fee = feeOf(request, said, options);
  expectFee(fee, options);
  const isOwn = ({ address }: { address: string }): boolean => paths.has(address);
  const shown = ({ address, amount }: { address: string; amount: string }): PaidAmount => ({
    to: address,
    amount: formatAmount(amount),
  });
  const review = {
    chain_id: request.chain_id,
    fee: coinsOf(fee),
    fee_declared: said.fee !== undefined,
    valid_from_height: said.valid_from_height,
    valid_until_height: said.valid_until_height,
    payments: said.outputs.filter((output) => !isOwn(output)).map(shown),
    back_to_this_wallet: said.outputs.filter(isOwn).map(shown),
  };
  return { body, manifest, paths, review };
}

function expectOwn(
  { chain_id, manifest, spent, transaction }: RequestFile,
  said: BodyInspection,
  paths: ReadonlyMap<string, unknown>,
): void {
  const isWhole = spent.length === transaction.inputs.length && spent.length === said.inputs.length;
  if (!isWhole || manifest['chain_id'] !== chain_id)
    throw usage('--request: does not fit together');
  const foreign = spent.find(({ address }) => !paths.has(address));
  if (foreign === undefined) return;
  const hint = 'look further with --gap, or name the right wallet with --file';
  const message = `no address of this wallet: ${foreign.address}`;
  throw new WalletError('unknown_address', message, { hint });
}

/** The fee that every signature covers. What a file leaves open is taken from its amounts only if told to. */
function feeOf({ spent }: RequestFile, said: BodyInspection, options: CommandOptions): bigint {
  const left = sum(spent) - sum(said.outputs);
  if (said.fee !== undefined) {
    if (BigInt(said.fee) === left) return left;
    const found = `the request declares a fee of ${said.fee} atoms, its amounts leave ${left}`;
    const hint = 'the amounts of the request are wrong; make it anew';
    throw new CliError(EXIT.refused, found, { hint });
  }
  if (said.inputs.length === 1 || options['allowUndeclaredFee'] === true) return left;
  const hint = 'make the request anew, or pass --allow-undeclared-fee if you trust its amounts';
  throw new CliError(EXIT.refused, 'the request has several inputs and declares no fee', { hint });
}

function expectFee(fee: bigint, options: CommandOptions): void {
  const most = feeMaxOf(textOf(options, 'maxFee')) ?? FEE_MAX_DEFAULT;
  if (fee >= 0n && fee <= most) return;
  const message = `the fee would be ${fee} atoms, the most is ${most}`;
  throw new WalletError('fee_above_cap', message, { hint: 'raise --max-fee if the fee is right' });
}

async function expectAgreement(review: Review, options: CommandOptions): Promise<void> {
  if (!needsYes(options)) return;
  note(showReview(review));
  if (!(await askYes('Sign this payment?'))) throw new CliError(EXIT.failed, 'nothing was signed');
}

function show(facts: Review, options: CommandOptions): void {
  print(options, '', facts, showReview(facts));
}

function showReview({ back_to_this_wallet, payments, ...rest }: Review): string {
  return showResult('offline', {
    ...rest,
    payments: paidLines('PAID', payments),
    back_to_this_wallet: paidLines('BACK TO THIS WALLET', back_to_this_wallet),
  });
}

function sum(entries: readonly { readonly amount: string }[]): bigint {
  return entries.reduce((total, { amount }) => total + BigInt(amount), 0n);
}

interface SignedBody {
  readonly transactionId: string;
  readonly wire: Uint8Array;
}

function signBody(
  root: WalletRoot,
  { spent, transaction }: RequestFile,
  body: Uint8Array,
  manifest: string,
  paths: ReadonlyMap<string, KeyPath>,
): SignedBody {
  const outputs = spent.map(({ address, amount }) => ({ address, amount }));
  const registered = new Set<string>();
  const witnesses = spent.map(({ address, key_registered }, at) => {
    if (transaction.inputs[at]?.repeated === true) {
      return encodeWitnessWithProfile('repeated', null, null);
    }
    const { branch, position } = paths.get(address) as KeyPath;
    const message = spendMessage(body, at, JSON.stringify(outputs[at]), manifest);
    const signature = root.sign(ACCOUNT, branch, position, message, true);
    const publicKey = root.derivePublicKey(ACCOUNT, branch, position);
    if (!key_registered) return encodeWitnessWithProfile('inline', publicKey, signature);
    registered.add(toHex(publicKey));
    return encodeWitnessWithProfile('referenced', null, signature);
  });
  const wire = assembleTransaction(body, witnesses, manifest);
  const verified = JSON.parse(
    verifyTransactionWithReferencedKeys(
      wire,
      JSON.stringify(outputs),
      null,
      JSON.stringify([...registered].map((public_key_hex) => ({ public_key_hex }))),
      manifest,
    ),
  ) as TransactionVerification;
  return { transactionId: verified.transaction_id, wire };
}

interface KeyPath {
  readonly branch: number;
  readonly position: number;
}

function findPaths(
  root: WalletRoot,
  network: Network,
  wanted: ReadonlySet<string>,
  gap: number,
): Map<string, KeyPath> {
  const found = new Map<string, KeyPath>();
  for (let position = 0; position < gap && found.size < wanted.size; position++) {
    for (const branch of [BRANCHES.receive, BRANCHES.change]) {
      const publicKey = root.derivePublicKey(ACCOUNT, branch, position);
      const address = addressFromPublicKey(publicKey, network);
      if (wanted.has(address)) found.set(address, { branch, position });
    }
  }
  return found;
}
