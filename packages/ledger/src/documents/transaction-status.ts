/**
 * How the outcome of an executed transaction shows in its status. A first final status stays: the
 * repetition of an executed transaction is `skipped` or, long after, `expired`, and changes nothing.
 */
import type { OutcomeKind } from '../protocol.ts';

export type Failure = 'conflict' | 'invalid' | 'expired' | 'dropped' | 'no_effect';

export interface OutcomeStatus {
  readonly lifecycle: 'processing' | 'finalized' | 'failed';
  readonly failure: Failure | null;
  readonly final: boolean;
}

const STATUSES: Readonly<Record<OutcomeKind, OutcomeStatus | null>> = {
  finalized: { lifecycle: 'finalized', failure: null, final: true },
  skipped: null,
  expired: { lifecycle: 'failed', failure: 'expired', final: true },
  not_yet_valid: { lifecycle: 'processing', failure: null, final: false },
  conflict: { lifecycle: 'failed', failure: 'conflict', final: true },
  unknown_input: { lifecycle: 'processing', failure: null, final: false },
  invalid: { lifecycle: 'failed', failure: 'invalid', final: false },
  no_effect: { lifecycle: 'failed', failure: 'no_effect', final: false },
};

/** The status that an outcome gives, or null if it leaves the status as it is. */
export function statusOfOutcome(kind: OutcomeKind): OutcomeStatus | null {
  return STATUSES[kind];
}
