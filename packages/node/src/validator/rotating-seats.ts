/**
 * The seats of a validator whose consensus key is rotated. The next key runs beside the one in use as soon as the chain
 * names it; the set of validators decides at every height which of the two signs, and the old one is retired once it has been
 * left out.
 */
import type { Log } from 'svc-base/pure';
import {
  type HeartbeatSender,
  indexIn,
  isReplaced,
  type SeatKey,
  type Validator,
} from 'svc-consensus/shell';
import type { ChainCore } from '../chain/chain-core.ts';
import type { ReportedValidator } from '../report/validator-report.ts';

/** One key at work. */
export interface RotatingSeat {
  readonly key: SeatKey;
  /** Keys that sign heartbeats: that of the seat, and those that follow it. */
  readonly heartbeatKeys: SeatKey[];
  readonly driver: Pick<Validator, 'status' | 'retire'>;
  /** Null if heartbeats are sent by hand, or by the seat before. */
  readonly heartbeats: HeartbeatSender | null;
}

/** The seats of one validator, of which the set in progress names at most one. */
export class RotatingSeats implements ReportedValidator {
  readonly #chain: ChainCore;
  readonly #first: RotatingSeat;
  readonly #log: Log;
  #seats: readonly RotatingSeat[];

  constructor(chain: ChainCore, first: RotatingSeat, log: Log) {
    this.#chain = chain;
    this.#first = first;
    this.#log = log;
    this.#seats = [first];
  }

  /** Ends with the node; the old seats are retired when a cut was decided without them. */
  add(next: RotatingSeat): () => void {
    this.#seats = [...this.#seats, next];
    this.#first.heartbeatKeys.push(next.key);
    return this.#chain.finalized.on(({ height }) => this.#retireOld(height, next));
  }

  get key(): SeatKey {
    return this.#active.key;
  }

  get driver(): RotatingSeat['driver'] {
    return this.#active.driver;
  }

  get heartbeats(): RotatingSeat['heartbeats'] {
    return this.#first.heartbeats;
  }

  /** The seat whose key signs now; without one in the committee, the oldest that the chain has not replaced. */
  get #active(): RotatingSeat {
    if (this.#seats.length === 1) return this.#seats[0] as RotatingSeat;
    const { next, view } = this.#chain;
    return (
      this.#seats.find(({ key }) => indexIn(next.validators, key) !== undefined) ??
      this.#seats.find(({ key }) => !isReplaced(view, key)) ??
      this.#first
    );
  }

  #retireOld(height: number, next: RotatingSeat): void {
    const { view } = this.#chain;
    const set = this.#chain.setAt(height);
    for (const seat of this.#seats) {
      if (seat === next || indexIn(set, seat.key) !== undefined || !isReplaced(view, seat.key))
        continue;
      seat.driver.retire();
      this.#seats = this.#seats.filter((one) => one !== seat);
      this.#log.info(
        { height, key_hash: seat.key.keyHash, next_key_hash: next.key.keyHash },
        'the consensus key was replaced: the new one signs, the old one never again',
      );
    }
  }
}
