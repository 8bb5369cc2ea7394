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

const PAUSE_MILLIS = 20;
/** A node answers nothing while cuts come faster than it can read, and payments expire while wallets lag behind. */
const CUT_PAUSE_MILLIS_MAX = 500;
const QUICK_CUTS = 4;

/** Waits until a condition holds; with a network, cuts are made meanwhile, at first quickly. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  net?: TestNetwork,
): Promise<void> {
  const end = Date.now() + WAIT_MILLIS_MAX;
  let nextCutAt = 0;
  for (let cuts = 0; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    if (net !== undefined && Date.now() >= nextCutAt) {
      await net.network.mine(1);
      cuts++;
      nextCutAt = Date.now() + (cuts < QUICK_CUTS ? PAUSE_MILLIS : CUT_PAUSE_MILLIS_MAX);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
  }
}
