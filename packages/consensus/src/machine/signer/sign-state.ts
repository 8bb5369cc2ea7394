/**
 * The record of the last thing a key signed, and the one question asked of it: may this be signed?
 * Positions only grow; at the same position only the same bytes are answered, with the signature
 * that exists already.
 */
import type { MessageKind, Signature } from '../base/messages.ts';
import type { Height, Round } from '../base/types.ts';

export type SignStep = 0 | 1 | 2;

export interface SignPosition {
  readonly height: Height;
  readonly round: Round;
  readonly step: SignStep;
}

export interface SignState {
  /** The id of the consensus key that this record belongs to. */
  readonly keyId: Uint8Array;
  /**
   * Nothing is signed up to and including this height: the wait for a second holder of the key, after a
   * record that was lost or lacks a signature, or the rest of a height whose log was lost. `SILENT_UNTIL_CURRENT` until the wait has begun,
   * `SILENT_FOR_GOOD` once the key was replaced.
   */
  readonly silentThrough: Height;
  /** The key was seen in use elsewhere: it never signs again under this record. */
  readonly stopped: boolean;
  readonly last:
    | (SignPosition & { readonly signedBytes: Uint8Array; readonly signature: Signature })
    | undefined;
}

/** The record is incomplete and its silence has not begun: no peer has shown yet how far the chain is. */
export const SILENT_UNTIL_CURRENT: Height = Number.MAX_SAFE_INTEGER as Height;

/** The key was replaced on the chain: nothing is signed at any height any more. */
export const SILENT_FOR_GOOD: Height = (Number.MAX_SAFE_INTEGER - 1) as Height;

export interface SignRequest extends SignPosition {
  readonly signedBytes: Uint8Array;
}

export type RefusalReason =
  | 'height_regression'
  | 'round_regression'
  | 'step_regression'
  | 'conflicting_message'
  | 'silent_after_new_sign_state'
  | 'silent_after_lost_log'
  | 'key_in_use_elsewhere'
  | 'key_retired'
  | 'storage_failed';

export type SignDecision =
  | { readonly type: 'sign' }
  | { readonly type: 'repeat'; readonly signature: Signature }
  | { readonly type: 'refuse'; readonly reason: RefusalReason };

const STEPS: Readonly<Record<MessageKind, SignStep>> = { proposal: 0, prevote: 1, precommit: 2 };

export function signStepOf(kind: MessageKind): SignStep {
  return STEPS[kind];
}

export function decideSigning(state: SignState, request: SignRequest): SignDecision {
  if (state.stopped) return refuse('key_in_use_elsewhere');
  if (state.silentThrough === SILENT_FOR_GOOD) return refuse('key_retired');
  const { last } = state;
  const isSilent = request.height <= state.silentThrough;
  if (last === undefined)
    return isSilent ? refuse('silent_after_new_sign_state') : { type: 'sign' };
  if (request.height < last.height) return refuse('height_regression');
  if (isSilent) return refuse('silent_after_lost_log');
  if (request.height > last.height) return { type: 'sign' };
  if (request.round !== last.round)
    return request.round > last.round ? { type: 'sign' } : refuse('round_regression');
  if (request.step !== last.step)
    return request.step > last.step ? { type: 'sign' } : refuse('step_regression');
  return sameBytes(request.signedBytes, last.signedBytes)
    ? { type: 'repeat', signature: last.signature }
    : refuse('conflicting_message');
}

/** Orders positions by height, round and step; no position comes before every other. */
export function comparePositions(a: SignPosition, b: SignPosition | undefined): number {
  if (b === undefined) return 1;
  return a.height - b.height || a.round - b.round || a.step - b.step;
}

function refuse(reason: RefusalReason): SignDecision {
  return { type: 'refuse', reason };
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
