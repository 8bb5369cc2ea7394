/**
 * Makes a wallet file, from new words or those of a restored wallet, and opens a wallet by its file: words of its own, a
 * shared wallet with the words of one of its members, or addresses that are watched. New words are kept in the sealed file alone.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mnemonicEntropy, mnemonicFromEntropy, type Network, WalletRoot } from 'svc-wasm';
import { toHex, wipe } from 'svc-wasm/base';
import { FileRefusal } from '../errors.ts';
import {
  type FixedAddresses,
  fingerprintOfShared,
  MEMBER_KEY,
  policyOf,
} from '../keys/fixed-addresses.ts';
import { statePath, type WalletIdentity } from '../state/open-state.ts';
import { generatePassword, passwordPath, readSecret } from './secret-file.ts';
import { parseSharedFile, type SharedFile } from './shared-file.ts';
import { createWalletFile, readWalletFile } from './wallet-file.ts';
import { parseWatchFile } from './watch-file.ts';

interface OpenedFile {
  readonly network: Network;
  /** Null where the keys are elsewhere. The caller frees it. */
  readonly root: WalletRoot | null;
  /** Null where addresses are derived from the root. */
  readonly fixed: FixedAddresses | null;
  readonly identity: WalletIdentity;
}

/** `passwordOf` is asked for the password of the file that has the words. */
export async function openWalletFile(
  path: string,
  passwordOf: (keysFile: string) => string | Promise<string>,
): Promise<OpenedFile> {
  const bytes = readSecret(path);
  const watched = parseWatchFile(path, bytes);
  if (watched !== undefined) {
    const { addresses, id, labels, network } = watched;
    const identity = { fingerprint: id, network };
    return { network, root: null, fixed: { addresses, labels, policy: null }, identity };
  }
  const shared = parseSharedFile(path, bytes);
  if (shared !== undefined) return await openShared(path, shared, passwordOf);
  const { network, root } = readRoot(path, await passwordOf(path));
  const identity = { fingerprint: root.fingerprint(), network };
  return { network, root, fixed: null, identity };
}

async function openShared(
  path: string,
  { descriptor, keysFile, network }: SharedFile,
  passwordOf: (keysFile: string) => string | Promise<string>,
): Promise<OpenedFile> {
  const policy = policyOf(descriptor, network);
  const fixed = { addresses: [policy.address], policy };
  const identity = { fingerprint: fingerprintOfShared(policy), network };
  if (keysFile === null) return { network, root: null, fixed, identity };
  const keys = readRoot(keysFile, await passwordOf(keysFile));
  const { root } = keys;
  if (keys.network === network && policy.members.includes(memberKeyOf(root))) {
    return { network, root, fixed, identity };
  }
  root.free();
  const found = `the keys in ${keysFile} are those of no member`;
  throw new FileRefusal('wrong_wallet', path, found, 'name the wallet file of a member');
}

/** The public key with which a wallet is a member of shared wallets, in hexadecimal. */
export function memberKeyOf(root: WalletRoot): string {
  const { account, branch, position } = MEMBER_KEY;
  return toHex(root.derivePublicKey(account, branch, position));
}

export interface WalletKeys {
  readonly root: WalletRoot;
  readonly network: Network;
}

export function readRoot(path: string, password: string): WalletKeys {
  const { network, passphrase, words } = readWalletFile(path, password);
  return { root: WalletRoot.fromMnemonic(words, passphrase, network), network };
}

const ENTROPY_BYTES = 32;

export interface InitOptions {
  readonly path: string;
  readonly network: Network;
  /** A password, or null to make one and keep it beside the wallet file. */
  readonly password: string | null;
  readonly passwordFile?: string;
  /** The words of the wallet to restore. Unless given, new words are drawn. */
  readonly words?: string;
  readonly passphrase?: string;
  readonly nowMillis: number;
  readonly cost?: string | undefined;
}

export interface NewWallet {
  readonly words: string;
  readonly fingerprint: string;
  readonly passwordFile: string | null;
}

export async function initWallet(options: InitOptions): Promise<NewWallet> {
  const { path, network, passphrase = '' } = options;
  refuseExisting(path);
  const words = options.words ?? newWords();
  const root = WalletRoot.fromMnemonic(words, passphrase, network);
  const fingerprint = root.fingerprint();
  root.free();
  const passwordFile =
    options.password === null ? (options.passwordFile ?? passwordPath(path)) : null;
  const password =
    passwordFile === null ? (options.password as string) : generatePassword(passwordFile);
  try {
    const contents = { network, words, passphrase, createdAtMillis: options.nowMillis };
    createWalletFile(path, contents, password, options.cost);
  } catch (error) {
    if (passwordFile !== null) rmSync(passwordFile, { force: true });
    throw error;
  }
  return { words, fingerprint, passwordFile };
}

/**
 * Refuses a state that lies there without its wallet file: it would be opened as the state of the new wallet.
 */
function refuseExisting(path: string): void {
  for (const existing of [path, statePath(path)]) {
    if (!existsSync(existing)) continue;
    const hint = 'name another file with --file; nothing is ever written over an existing one';
    throw new FileRefusal('exists', existing, 'exists already', hint);
  }
}

function newWords(): string {
  const entropy = new Uint8Array(randomBytes(ENTROPY_BYTES));
  try {
    const words = mnemonicFromEntropy(entropy);
    wipe(mnemonicEntropy(words));
    return words;
  } finally {
    wipe(entropy);
  }
}
