/**
 * One line for each interval that says how the node is, always in the same shape.
 */
import type { Clock, Log } from 'svc-base/pure';

export interface ValidatorFacts {
  /** Attendance windows of this epoch with a signature of ours in a certificate. */
  readonly signedWindows: number;
  readonly windows: number;
  readonly heartbeatEpoch: number | null;
  readonly heartbeat: 'ok' | 'due' | 'failed' | 'off';
}

export interface StatusFacts {
  readonly synced: boolean;
  readonly finalizedHeight: number;
  /** Null while no peer has shown a height. */
  readonly behindBy: number | null;
  readonly peers: number;
  readonly mempoolTransactions: number;
  /** Null for a node that signs nothing. */
  readonly validator: ValidatorFacts | null;
}

export function statusLine(facts: StatusFacts): string {
  const { synced, finalizedHeight, behindBy, peers, mempoolTransactions, validator } = facts;
  return [
    synced ? 'synced' : 'syncing',
    `cut ${finalizedHeight}`,
    `lag ${behindBy ?? '?'}`,
    `peers ${peers}`,
    `mempool ${mempoolTransactions}`,
    ...(validator === null ? [] : validatorParts(validator)),
  ].join('  ');
}

function validatorParts(validator: ValidatorFacts): string[] {
  const { signedWindows, windows, heartbeatEpoch, heartbeat } = validator;
  const epoch = heartbeatEpoch === null ? '' : ` epoch ${heartbeatEpoch}`;
  return [`signed ${signedWindows}/${windows} windows`, `hb${epoch} ${heartbeat}`];
}

export class StatusReporter {
  readonly #clock: Clock;
  readonly #seconds: number;
  readonly #facts: () => StatusFacts;
  readonly #log: Log;
  #cancel: (() => void) | undefined;

  constructor(parts: { clock: Clock; seconds: number; facts: () => StatusFacts; log: Log }) {
    this.#clock = parts.clock;
    this.#seconds = parts.seconds;
    this.#facts = parts.facts;
    this.#log = parts.log;
  }

  /** Starts writing lines; with an interval of zero seconds there are none. */
  start(): void {
    if (this.#seconds > 0) this.#arm();
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(): void {
    this.#cancel = this.#clock.after(this.#seconds * 1_000, () => {
      this.#log.info({}, statusLine(this.#facts()));
      this.#arm();
    });
  }
}
