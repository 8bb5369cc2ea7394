/**
 * The two ways in which a proof ends without success.
 */
import { SvcError } from 'svc-wasm';
import { ClientError } from '../client-error.ts';
import type { ProofResult } from './claims.ts';

/** The node contradicts itself or what its validators signed. */
export class Contradiction extends Error {}

/** There is nothing to check: the node gave no proof, or it cannot be judged. */
export class Unprovable extends Error {}

/** Codes of the module that are not the node's fault. */
const HARMLESS: readonly string[] = ['trust_expired', 'kernel_unavailable'];

export function resultOfError(error: unknown): ProofResult {
  if (error instanceof Contradiction) return { verdict: 'wrong', reason: error.message };
  if (error instanceof SvcError && !HARMLESS.includes(error.code)) {
    return { verdict: 'wrong', reason: `${error.message} (${error.code})` };
  }
  if (error instanceof ClientError && error.kind === 'bad_answer') {
    return { verdict: 'wrong', reason: `the node's answer cannot be read: ${error.message}` };
  }
  if (error instanceof SvcError && error.code === 'trust_expired') {
    return { verdict: 'unproven', reason: error.message, isTrustExpired: true };
  }
  return { verdict: 'unproven', reason: error instanceof Error ? error.message : String(error) };
}
