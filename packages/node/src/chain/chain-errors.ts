/**
 * Contradictions between what is final and what this node computes. They stop the node: going on would fork it
 * off, and signing would make others believe it.
 */
import type { EncodedCut } from 'svc-consensus/machine';

export class ChainDivergedError extends Error {
  override readonly name = 'ChainDivergedError';
}

/** The chain here is not one that a configured recovery fits. */
export class RecoveryRefusedError extends Error {
  override readonly name = 'RecoveryRefusedError';
}

/** A cut that others have made final and that this node cannot execute. */
export function cannotBeFinal({ fields, value }: EncodedCut, why: string): ChainDivergedError {
  return new ChainDivergedError(`cut ${fields.height}, ${value}, cannot be made final: ${why}`);
}
