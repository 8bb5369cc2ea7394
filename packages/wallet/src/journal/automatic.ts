/**
 * What the daemon does without a call if its options say so: merging outputs of crowded addresses, and forwarding
 * finalized payments to a cold address. Both go through the same requests and reservations as calls.
 */
import type { Log } from 'svc-base/pure';
import { WalletError } from '../base/wallet-error.ts';
import type { State } from '../state/open-state.ts';
import type { Outgoing } from './outgoing.ts';

export interface AutomaticPorts {
  readonly state: State;
  readonly outgoing: Outgoing;
  readonly log: Log;
  /** Addresses that hold more outputs than this are merged. */
  readonly compoundAbove: number | null;
  readonly sweepTo: string | null;
}

const ADDRESSES_PER_TURN = 4;

export class Automatic {
  readonly #ports: AutomaticPorts;

  constructor(ports: AutomaticPorts) {
    this.#ports = ports;
  }

  /** Called after the state has caught up with the node. */
  async performDue(indexedHeight: number): Promise<void> {
    const { compoundAbove, state, sweepTo } = this.#ports;
    if (sweepTo !== null && state.outputs.freePayments(1).length > 0) {
      await this.#perform('sweep', `auto:sweep:${indexedHeight}`, {
        to: sweepTo,
        payments_only: true,
      });
    }
    if (compoundAbove === null) return;
    for (const { id, address } of state.addresses.crowded(compoundAbove, ADDRESSES_PER_TURN)) {
      if (state.outputs.freeOf(id, 2).length < 2) continue;
      await this.#perform('compound', `auto:compound:${indexedHeight}:${id}`, { address });
    }
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
