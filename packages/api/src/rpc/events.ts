/**
 * Events of the wallet daemon. They are prompts, not a ledger: a service that credits payments keeps the indexed
 * height and catches up with `received`.
 */
import { type Static, type TProperties, Type } from 'typebox';
import { Outcome, ReceivedPayment, WaitingPayment } from './documents.ts';
import { Coins, Height, Identifier } from './scalars.ts';

export const EVENT_NAMES = [
  'unconfirmed',
  'removed',
  'finalized',
  'confirmations',
  'settled',
  'request_id_mismatch',
  'resync_required',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

function event<P extends TProperties>(properties: P) {
  return Type.Object({
    subscription: Type.Integer({ minimum: 1 }),
    sequence: Type.Integer({
      minimum: 0,
      description: 'Numbers events; a gap means others asked for.',
    }),
    ...properties,
  });
}

const FINAL_FIELDS = {
  height: Height,
  indexed_height: Height,
  payments: Type.Array(ReceivedPayment),
};

export const EVENTS = {
  unconfirmed: {
    summary: 'A payment was seen in the mempool: show it, do not credit it.',
    data: event({ transaction: Identifier, payments: Type.Array(WaitingPayment) }),
  },
  removed: {
    summary: 'A payment left the mempool without being finalized: drop it.',
    data: event({
      transaction: Identifier,
      reason: Type.String(),
      payments: Type.Array(WaitingPayment),
    }),
  },
  finalized: {
    summary: 'Payments are final: credit each (`transaction`, `output`) once.',
    data: event(FINAL_FIELDS),
  },
  confirmations: {
    summary: 'Payments reached the number of cuts given with `--confirmations`.',
    data: event(FINAL_FIELDS),
  },
  settled: {
    summary: 'A transaction of this wallet is final: executed, or dead for good.',
    data: event({
      transaction: Identifier,
      request_id: Type.String(),
      kind: Type.String(),
      automatic: Type.Boolean(),
      outcome: Outcome,
      finalized_height: Height,
      amount: Coins,
      fee: Coins,
      recipients: Type.Array(Type.Unknown()),
    }),
  },
  request_id_mismatch: {
    summary:
      'A `request_id` came again with other parameters, and nothing was done: one of two withdrawals, or of two customers, has the name of the other. The first time only for each name; `status` and the log count all.',
    data: event({
      request_id: Type.String(),
      method: Type.String(),
      caller: Type.Union([Type.String(), Type.Null()], {
        description: 'The name of the token that it came with.',
      }),
    }),
  },
  resync_required: {
    summary: 'Events may be missing: call `received` with the height that you stored.',
    data: event({ reason: Type.String(), indexed_height: Height }),
  },
} as const satisfies Readonly<Record<EventName, { summary: string; data: unknown }>>;

export type EventData<N extends EventName> = Static<(typeof EVENTS)[N]['data']>;
