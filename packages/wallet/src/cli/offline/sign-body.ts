/**
 * Signs the body of a payment and verifies the result as a node would.
 */
import {
  assembleTransaction,
  encodeWitnessWithProfile,
  spendMessage,
  type TransactionVerification,
  verifyTransactionWithReferencedKeys,
  type WalletRoot,
} from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { ACCOUNT } from '../../keys/key-ring.ts';
import type { RequestFile } from './files.ts';
import type { KeyPath } from './find-paths.ts';

export interface SignedBody {
  readonly transactionId: string;
  readonly wire: Uint8Array;
}

export function signBody(
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
