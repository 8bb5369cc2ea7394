/**
 * How the record of a key begins after a rotation. The chain can prove that the next key has never
 * signed; it cannot say whether a second process waits with both keys for the same moment. That shows in the record of
 * the key before alone: where it is silent or stopped, another process may be the one that signs.
 */
import type { SignState } from 'svc-consensus/machine';

/** `none`: this process is not to use the next key. `before` is the record of the key before, if there is one. */
export function nextRecord<Proof extends string>(
  proof: Proof,
  before: Pick<SignState, 'stopped' | 'silentThrough'> | undefined,
  headHeight: number,
): Proof | 'new' | 'none' {
  if (before?.stopped === true) return 'none';
  const isSilent = before !== undefined && before.silentThrough > headHeight;
  return proof === 'unused' && isSilent ? 'new' : proof;
}
