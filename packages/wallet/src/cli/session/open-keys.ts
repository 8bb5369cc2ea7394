/**
 * Opens a wallet file for its keys. Whoever gets them frees the root.
 */
import { existsSync } from 'node:fs';
import { init, type Network, WalletRoot } from 'svc-wasm';
import { FileRefusal } from '../../file/file-refusal.ts';
import { SEAL_HERE } from '../../file/seal.ts';
import { readWalletFile } from '../../file/wallet-file.ts';
import { passwordOf } from '../ask/password.ts';
import type { WalletPlace } from '../wallet-options.ts';

export interface WalletKeys {
  readonly root: WalletRoot;
  readonly network: Network;
}

export function expectWallet({ file }: WalletPlace): void {
  if (existsSync(file)) return;
  const hint = 'make one with `svc-wallet init`, or name another with --file';
  throw new FileRefusal('missing', file, 'there is no wallet', hint);
}

export async function openKeys(place: WalletPlace): Promise<WalletKeys> {
  expectWallet(place);
  await init();
  const password = await passwordOf(place);
  const { network, passphrase, words } = await readWalletFile(place.file, password, SEAL_HERE);
  return { root: WalletRoot.fromMnemonic(words, passphrase, network), network };
}
