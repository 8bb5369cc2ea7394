/**
 * Proofs of equivocation that any third party can check: two messages of one validator for the same
 * (height, round, kind) whose signed bytes differ. Signatures are randomised, so two signatures
 * over the same bytes are no offence.
 */
import type { MessageKind, SignedMessage, UnsignedMessage } from '../base/messages.ts';
import { isWellFormed } from '../base/messages.ts';
import type { Height } from '../base/types.ts';
import type { Conflict } from '../keeper/vote-keeper.ts';

/** As long as stake stays slashable after its owner leaves: ten intervals of the network. */
const EVIDENCE_INTERVALS = 10;

/** How many cuts old an offence may be on a network with this interval. */
export function evidenceAgeMax(interval: number): number {
  return EVIDENCE_INTERVALS * interval;
}

export interface Evidence {
  readonly kind: 'votes' | 'proposals';
  /** The message with the smaller signed bytes. */
  readonly first: SignedMessage;
  readonly second: SignedMessage;
}

export type EvidenceFault =
  | 'malformed'
  | 'different_positions'
  | 'same_message'
  | 'not_canonical'
  | 'too_old'
  | 'too_new'
  | 'unknown_validator'
  | 'bad_signature';

/** What the chain knows about the height of an offence. */
export interface EvidencePorts {
  signedBytes(message: UnsignedMessage): Uint8Array;
  /** The id of the validator with that index in the set of that height. */
  validatorAt(height: Height, index: number): string | undefined;
  /** Checks against the consensus key that was active at the message's height. */
  verify(message: SignedMessage): boolean;
  /** Cuts of an epoch. */
  readonly interval: number;
}

export function createEvidence({ first, second }: Conflict, ports: EvidencePorts): Evidence {
  const kind = first.kind === 'proposal' ? 'proposals' : 'votes';
  const ordered = compare(ports.signedBytes(first), ports.signedBytes(second)) <= 0;
  return ordered ? { kind, first, second } : { kind, first: second, second: first };
}

export function checkEvidence(
  evidence: Evidence,
  chainHeight: Height,
  ports: EvidencePorts,
): EvidenceFault | undefined {
  const { first, second } = evidence;
  if (!isWellFormed(first) || !isWellFormed(second)) return 'malformed';
  if ((first.kind === 'proposal') !== (evidence.kind === 'proposals')) return 'malformed';
  const samePosition =
    first.kind === second.kind &&
    first.height === second.height &&
    first.round === second.round &&
    first.validatorIndex === second.validatorIndex;
  if (!samePosition) return 'different_positions';
  if (first.height > chainHeight) return 'too_new';
  if (chainHeight - first.height > evidenceAgeMax(ports.interval)) return 'too_old';
  const order = compare(ports.signedBytes(first), ports.signedBytes(second));
  if (order === 0) return 'same_message';
  if (order > 0) return 'not_canonical';
  if (ports.validatorAt(first.height, first.validatorIndex) === undefined)
    return 'unknown_validator';
  return ports.verify(first) && ports.verify(second) ? undefined : 'bad_signature';
}

/** One offence is accepted once, whatever the reporter and the two messages. */
export function offenceKey(validator: string, message: SignedMessage): string {
  return `${validator}/${message.height}/${message.round}/${message.kind satisfies MessageKind}`;
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = (a[at] as number) - (b[at] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
