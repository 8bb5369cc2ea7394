/**
 * What the daemon does without a call if its options say so: keeping a float, merging outputs of crowded addresses, and
 * forwarding finalized payments to a cold address once the float is whole. Both go through the same requests and reservations as calls.
 */
import type { Log } from 'svc-base/pure';
import { WalletError } from '../errors.ts';
import type { Float } from '../spend/float.ts';
import { comingBack } from '../spend/funds.ts';
import type { State } from '../state/open-state.ts';
import type { Outgoing } from './outgoing.ts';

export interface AutomaticPorts {
  readonly state: State;
  readonly outgoing: Pick<Outgoing, 'perform'>;
  readonly log: Log;
  /** Addresses that hold more outputs than this are merged. */
  readonly compoundAbove: number | null;
  readonly sweepTo: string | null;
  /** The coins that are kept ready for payments. */
  readonly float: Float | null;
  /** Whether outputs at addresses for change are merged too: not where coins lie side by side there to pay at once. */
  readonly isChangeMerged: boolean;
}

const ADDRESSES_PER_TURN = 4;

export class Automatic {
  readonly #ports: AutomaticPorts;

  constructor(ports: AutomaticPorts) {
    this.#ports = ports;
  }

  /** Called after the state has caught up with the node. */
  async performDue(indexedHeight: number): Promise<void> {
    const { compoundAbove, float, isChangeMerged, state } = this.#ports;
    if (float === null || (await this.#fillFloat(float, indexedHeight))) {
      await this.#sweep(indexedHeight);
    }
    if (compoundAbove === null) return;
    const { addresses } = state;
    const crowded = addresses.crowded(compoundAbove, isChangeMerged, ADDRESSES_PER_TURN);
    for (const { id, address } of crowded) {
      if (state.outputs.freeOf(id, 2).length < 2) continue;
      await this.#perform('compound', `auto:compound:${indexedHeight}:${id}`, { address });
    }
  }

  /**
   * Splits coins if some of the float are missing, or if what is left over is one of its coins. Returns whether the
   * float is whole, counting what comes back.
   */
  async #fillFloat({ amount, count }: Float, indexedHeight: number): Promise<boolean> {
    const { journal, outputs } = this.#ports.state;
    if (journal.open().some(({ kind }) => kind === 'split')) return false;
    const returning = comingBack(this.#ports.state).filter((value) => value >= amount).length;
    const there = outputs.countFree(amount, count + 1) + returning;
    const isLarge = outputs.freeAtLeast(2n * amount, 1).length > 0;
    if (there <= count && isLarge) {
      const params = { count, amount: String(amount) };
      await this.#perform('split', `auto:split:${indexedHeight}`, params);
    }
    return there >= count;
  }

  async #sweep(indexedHeight: number): Promise<void> {
    const { float, state, sweepTo } = this.#ports;
    if (sweepTo === null) return;
    const found =
      float === null
        ? state.outputs.freePayments(1)
        : state.outputs.freeBeyond(float.amount, float.count, 1);
    if (found.length === 0) return;
    const what =
      float === null
        ? { payments_only: true }
        : { leave_float: { count: float.count, amount: String(float.amount) } };
    await this.#perform('sweep', `auto:sweep:${indexedHeight}`, { to: sweepTo, ...what });
  }

  async #perform(method: string, requestId: string, params: object): Promise<void> {
    const { log, outgoing } = this.#ports;
    try {
      const reply = await outgoing.perform({ requestId, method, params, isAutomatic: true });
      const { amount, transaction } = reply as { amount?: string; transaction?: string };
      log.info({ method, amount: amount ?? '', transaction: transaction ?? '' }, 'automatic');
    } catch (error) {
      if (!(error instanceof WalletError)) throw error;
      if (error.kind === 'nothing_to_do') return;
      log.warn({ method, kind: error.kind, error: error.message }, 'automatic request failed');
    }
  }
}
