/**
 * The state root, which commits to the four trees and the totals; `docs/protocol.md` 9.2.
 */
import { concatBytes, expectBytes } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { HASH_BYTES, SUBTREE_BYTES } from './layout.ts';

/** What a proof about outputs carries of the rest of the state. */
export interface OtherRoots {
  readonly positions: Uint8Array;
  readonly validators: Uint8Array;
  readonly keys: Uint8Array;
  readonly totalsRoot: Uint8Array;
}

export interface StateRoots extends OtherRoots {
  readonly outputs: Uint8Array;
}

export function stateRoot(roots: StateRoots): Uint8Array {
  const outputs = expectBytes(roots.outputs, 'roots.outputs', SUBTREE_BYTES);
  return hashLabel(LABELS.state, outputs, encodeOtherRoots(roots));
}

export function encodeOtherRoots(roots: OtherRoots, path = 'roots'): Uint8Array {
  return concatBytes(
    expectBytes(roots.positions, `${path}.positions`, SUBTREE_BYTES),
    expectBytes(roots.validators, `${path}.validators`, SUBTREE_BYTES),
    expectBytes(roots.keys, `${path}.keys`, SUBTREE_BYTES),
    expectBytes(roots.totalsRoot, `${path}.totalsRoot`, HASH_BYTES),
  );
}
