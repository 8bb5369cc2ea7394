/**
 * The committees that the ledger elects, learned from the first node that has executed the last cut of an epoch. All
 * honest nodes elect the same one: its id is part of every header.
 */
import type { EpochRecord } from 'svc-ledger';
import type { Committees, ConsensusKey } from '../../world/committees.ts';
import { epochWith } from '../../world/committees.ts';
import type { Epoch } from '../../world/cut.ts';

export class ElectedCommittees implements Committees {
  readonly #epochs: Epoch[] = [];
  readonly #cuts: number;
  readonly #holderOf: (publicKey: Uint8Array) => ConsensusKey;

  constructor(cuts: number, holderOf: (publicKey: Uint8Array) => ConsensusKey) {
    this.#cuts = cuts;
    this.#holderOf = holderOf;
  }

  at(epoch: number): Epoch | undefined {
    return this.#epochs[epoch];
  }

  /** Takes note of an epoch that follows those known; whether it was news. */
  learn({ epoch, members, validatorSetId }: EpochRecord): boolean {
    if (epoch !== this.#epochs.length) return false;
    const holders = members.map(({ publicKey, stake }) => ({
      ...this.#holderOf(publicKey),
      stake,
    }));
    this.#epochs.push(epochWith(epoch, validatorSetId, holders, this.#cuts));
    return true;
  }
}
