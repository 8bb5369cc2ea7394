/**
 * The key registry. The first spend that shows a public key and executes registers it under its hash;
 * from then on a witness may refer to it. A validator's consensus key is registered with the validator,
 * and no key that is registered already can become one: it would have been used before.
 */
import type { CutContext } from '../context.ts';
import type { Identifier } from '../identifiers.ts';
import type { PublicKey } from '../records.ts';
import type { ExecutableTransaction, KeyLookup } from '../transaction.ts';

export function keyLookup(context: CutContext): KeyLookup {
  return (keyHash) => context.state.get('keys', keyHash);
}

export function registerKeys(context: CutContext, transaction: ExecutableTransaction): void {
  for (const { inlineKeys } of transaction.inputs) {
    for (const key of inlineKeys) {
      if (!isKeyUsed(context, key)) registerKey(context, key, transaction.id);
    }
  }
}

export function isKeyUsed(context: CutContext, { keyHash }: PublicKey): boolean {
  return context.state.get('keys', keyHash) !== undefined;
}

export function registerKey(
  context: CutContext,
  { keyHash, publicKey }: PublicKey,
  transactionId: Identifier,
): void {
  context.state.put('keys', keyHash, { publicKey });
  context.events.keys.push({ keyHash, transactionId });
}
