/**
 * The worker that hashes one password and ends: loaded by `worker-password-hash.ts` alone, in browsers.
 */
import type { WalletFileCost } from '../wallet-file/cost.ts';
import { hashPortably } from '../wallet-file/password-hash.ts';

export interface PasswordOrder {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly cost: WalletFileCost;
}

/** The key, or that there was not the memory for it. */
export type PasswordReply = { readonly key: Uint8Array } | { readonly noMemory: string };

declare function postMessage(reply: PasswordReply): void;

addEventListener('message', (event) => {
  const { password, salt, cost } = (event as MessageEvent<PasswordOrder>).data;
  try {
    postMessage({ key: hashPortably(password, salt, cost) });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    postMessage({ noMemory: error.message });
  }
});
