/**
 * Wallets for tests, opened in this process on files of their own.
 */
import { join } from 'node:path';
import { SILENT_LOG } from 'svc-base/pure';
import { WalletRoot } from 'svc-wasm';
import { openState } from '../../src/state/open-state.ts';
import { Wallet, type WalletOptions } from '../../src/wallet.ts';
import type { TestNetwork } from './network.ts';

const WAIT_MILLIS_MAX = 120_000;

export interface OpenOptions extends Partial<WalletOptions> {
  readonly directory: string;
  readonly words: string;
  readonly service: string;
}

export async function openWallet({ directory, words, ...options }: OpenOptions): Promise<Wallet> {
  const root = WalletRoot.fromMnemonic(words, '', 'development');
  const network = 'development' as const;
  const identity = { fingerprint: root.fingerprint(), network };
  const state = openState(join(directory, 'wallet'), identity, 'test');
  return await Wallet.open({ state, root, network, log: SILENT_LOG, gap: 20, ...options });
}

/** Waits until a condition holds; with a network, cuts are made meanwhile. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  net?: TestNetwork,
): Promise<void> {
  const end = Date.now() + WAIT_MILLIS_MAX;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await net?.network.mine(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
