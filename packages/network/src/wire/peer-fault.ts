/**
 * A behaviour that no honest and working peer shows: a REJECT, the only thing that lowers its score. Anything that
 * may be ignorance, delay or bad luck is ignored instead.
 */
import { isRefusal } from 'svc-wasm/base';

/** What each kind of fault costs; a peer is banned at `BAN_SCORE`. */
export const FAULT_POINTS = {
  /** Bytes that break the form of a message. */
  malformed: 50,
  /** A message where none of its kind belongs. */
  unexpected: 25,
  /** Content that its sender must have known to be wrong. */
  invalid: 50,
  /** Work that was not done: three of them are enough. */
  noWork: 34,
  /** A hundred and more things that it announced and never sent. */
  undelivered: 20,
} as const satisfies Record<string, number>;

export type FaultKind = keyof typeof FAULT_POINTS;

export const BAN_SCORE = -100;

export class PeerFault extends Error {
  override readonly name = 'PeerFault';
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }

  get points(): number {
    return FAULT_POINTS[this.kind];
  }
}

/** Runs a decoder over bytes of a peer: what it refuses is the peer's fault. */
export function decoded<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (isRefusal(error)) throw new PeerFault('malformed', error.message, { cause: error });
    throw error;
  }
}
