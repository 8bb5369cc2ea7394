/**
 * Opens a wallet by its file: words of its own, a shared wallet with the words of one of its members, or addresses that
 * are watched.
 */
import { type Network, WalletRoot } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { FileRefusal } from '../errors.ts';
import {
  type FixedAddresses,
  fingerprintOfShared,
  MEMBER_KEY,
  policyOf,
} from '../keys/fixed-addresses.ts';
import type { WalletIdentity } from '../state/open-state.ts';
import { readSecret } from './secret-file.ts';
import { parseSharedFile, type SharedFile } from './shared-file.ts';
import { readWalletFile } from './wallet-file.ts';
import { parseWatchFile } from './watch-file.ts';

export interface OpenedFile {
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
