/**
 * Removed validators, read from the state of the chain: figures for metrics, and a message for the operator of one.
 */
import type { Removal } from 'svc-api';
import { epochOf, SINGLE_KEY } from 'svc-ledger';
import type { Chain } from 'svc-serve/ports';

export interface RemovalFigures {
  /** Validators removed in the running epoch and the one before. */
  readonly recent: number;
  /** The part of the running committee's stake that its removed members had; they vote until the epoch ends. */
  readonly committeeShare: number;
}

export function removalMessage({ height, reason }: Removal): string {
  return `this validator was removed for ${reason} at height ${height}: its bond is burned, and it never has a seat again`;
}

export class RemovalReport {
  readonly #chain: Pick<Chain, 'head' | 'parameters' | 'view'>;
  /** Of the head: the answer reads all validators. */
  #last: { readonly height: number; readonly figures: RemovalFigures } | undefined;

  constructor(chain: Pick<Chain, 'head' | 'parameters' | 'view'>) {
    this.#chain = chain;
  }

  get figures(): RemovalFigures {
    const { height } = this.#chain.head;
    if (this.#last?.height !== height) this.#last = { height, figures: this.#read(height) };
    return this.#last.figures;
  }

  #read(height: number): RemovalFigures {
    const { view, parameters } = this.#chain;
    const { interval } = parameters;
    const removed = new Map<string, number>();
    for (const id of view.validatorIds()) {
      const validator = view.get('validators', id);
      if (validator?.status === 'removed') removed.set(id, validator.removedHeight);
    }
    const epochMin = epochOf(height + 1, interval) - 1;
    const recent = [...removed.values()].filter((at) => epochOf(at, interval) >= epochMin).length;
    const members = view.get('epoch', SINGLE_KEY)?.members ?? [];
    const stakeOf = (some: typeof members): bigint =>
      some.reduce((sum, { stake }) => sum + stake, 0n);
    const removedStake = stakeOf(members.filter(({ validatorId }) => removed.has(validatorId)));
    const stake = stakeOf(members);
    return { recent, committeeShare: stake === 0n ? 0 : Number(removedStake) / Number(stake) };
  }
}
