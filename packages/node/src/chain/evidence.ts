/**
 * Evidence between the bytes of a cut and the ledger: whose it is, and whether it convicts. The keys are those
 * that were active at the height of the offence.
 */
import type { Equivocation } from 'svc-ledger';
import { SvcError, toHex } from 'svc-wasm/base';
import { checkEvidence, type Evidence } from 'svc-wasm/protocol';
import type { ValidatorSets } from './validator-sets.ts';

export type EvidenceVerdict =
  | { readonly type: 'convicts'; readonly offences: readonly Equivocation[] }
  | { readonly type: 'invalid'; readonly reason: string }
  /** The set of that height is not known here, which says nothing about the evidence. */
  | { readonly type: 'unknown'; readonly setId: string };

/**
 * A node that began from a snapshot does not know which set signed before it. For a cut that is certified it takes the
 * set that the evidence names: the validators that signed the cut have checked that the set was the one of that height,
 * and everything else is checked here.
 */
export function judgeEvidence(
  evidence: readonly Evidence[],
  sets: ValidatorSets,
  chainId: Uint8Array,
  { height: cutHeight, isCertified }: { readonly height: number; readonly isCertified: boolean },
): EvidenceVerdict {
  const offences: Equivocation[] = [];
  for (const item of evidence) {
    if (item.first.height > BigInt(cutHeight))
      return { type: 'invalid', reason: 'evidence of a later height' };
    const height = Number(item.first.height);
    const setId = toHex(item.first.validatorSetId);
    const set = sets.at(height) ?? (isCertified ? sets.named(setId) : undefined);
    if (set === undefined) return { type: 'unknown', setId };
    try {
      const { id } = checkEvidence(item, set, chainId);
      offences.push({ validatorId: toHex(id), height });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return { type: 'invalid', reason: `evidence: ${error.code}` };
    }
  }
  return { type: 'convicts', offences };
}
