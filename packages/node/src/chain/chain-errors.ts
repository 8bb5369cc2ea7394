/**
 * Contradictions between what is final and what this node computes. They stop the node: going on would fork it
 * off, and signing would make others believe it.
 */
export class ChainDivergedError extends Error {
  override readonly name = 'ChainDivergedError';
}
