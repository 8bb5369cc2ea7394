/**
 * Who sits where. A validator is a process of the plan and keeps its number for the whole run; a seat is a place in the set
 * of one epoch, and messages, bitmaps and headers name seats alone. Nothing else turns one into the other.
 */
import {
  createProposerTable,
  createValidatorSet,
  type ValidatorIndex,
} from 'svc-consensus/machine';
import type { ValidatorSet as SetWithKeys } from 'svc-wasm/protocol';
import type { Plan } from '../plan/plan.ts';
import type { Epoch } from './cut.ts';

/** A place in the set of an epoch. */
export type Seat = ValidatorIndex;

/** A consensus key: whose it is, and how many keys its holder had before. */
export interface ConsensusKey {
  readonly validator: number;
  readonly generation: number;
}

/** What a seat of an elected set consists of. */
interface SeatHolder extends ConsensusKey {
  readonly stake: bigint;
}

export interface Committees {
  /** The committee of an epoch; undefined where it is not elected yet. */
  at(epoch: number): Epoch | undefined;
}

const NO_BYTES = new Uint8Array(0);
const VALIDATORS_MAX = 64;

/** The key in one number, by which the keyring knows it. */
export function keyNumber({ validator, generation }: ConsensusKey): number {
  return validator + VALIDATORS_MAX * generation;
}

/** The key as validators see it; the first one of a validator is its number. */
export function keyBytes({ validator, generation }: ConsensusKey): Uint8Array {
  return generation === 0 ? Uint8Array.of(validator) : Uint8Array.of(validator, generation);
}

export function epochWith(
  number: number,
  name: string,
  holders: readonly SeatHolder[],
  cuts: number,
): Epoch {
  const set = createValidatorSet(
    name,
    holders.map(({ stake }) => stake),
  );
  const validators: SetWithKeys['validators'] = holders.map((holder) => ({
    id: Uint8Array.of(holder.validator),
    publicKey: keyBytes(holder),
    stake: holder.stake,
  }));
  const { totalStake } = set;
  const id = Uint8Array.of(number);
  return {
    set,
    validators: { id, encoded: NO_BYTES, validators, totalStake },
    table: createProposerTable(set, cuts),
    holders: holders.map(({ validator }) => validator),
    keys: holders.map(keyNumber),
    seats: new Map(holders.map(({ validator }, seat) => [validator, seat])),
  };
}

/** All validators sit in the order of their numbers, with the stakes that the plan repeats. */
export class PlannedCommittees implements Committees {
  readonly #epochs: readonly Epoch[];

  constructor({ stakes, validators }: Pick<Plan, 'stakes' | 'validators'>) {
    this.#epochs = stakes.map((epochStakes, epoch) => {
      const holders = epochStakes.map((stake, validator) => ({ validator, generation: 0, stake }));
      return epochWith(epoch, `set ${epoch}`, holders, 12 * validators);
    });
  }

  at(epoch: number): Epoch {
    return this.#epochs[epoch % this.#epochs.length] as Epoch;
  }
}
