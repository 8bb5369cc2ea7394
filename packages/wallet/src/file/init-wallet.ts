/**
 * Makes a wallet: new words or those of a restored one, sealed under a password. The caller shows new words
 * once; they are kept nowhere but in the sealed file.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mnemonicEntropy, mnemonicFromEntropy, type Network, WalletRoot } from 'svc-wasm';
import { wipe } from 'svc-wasm/base';
import { FileRefusal } from '../errors.ts';
import { statePath } from '../state/open-state.ts';
import { generatePassword, passwordPath } from './secret-file.ts';
import { createWalletFile } from './wallet-file.ts';

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
