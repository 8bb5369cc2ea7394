/**
 * Opens a wallet file for its keys. Whoever gets them frees the root.
 */
import { init, type Network, WalletRoot } from 'svc-wasm';
import { readWalletFile } from '../../file/wallet-file.ts';
import { passwordOf } from '../ask/password.ts';
import type { WalletPlace } from '../wallet-options.ts';

export interface WalletKeys {
  readonly root: WalletRoot;
  readonly network: Network;
}

export async function openKeys(place: WalletPlace): Promise<WalletKeys> {
  await init();
  const { network, passphrase, words } = await readWalletFile(place.file, await passwordOf(place));
  return { root: WalletRoot.fromMnemonic(words, passphrase), network };
}
