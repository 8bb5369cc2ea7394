/**
 * Faults that programs should be tried against.
 */
import { Type } from 'typebox';
import { defineAction, type Outcome } from './action.ts';
import type { DevControl } from './dev-control.ts';

const DONE: Outcome = { answer: { done: true } };
const CUTS_MAX = 100_000;
const Id = Type.String({ pattern: '^[0-9a-f]{96}$' });
const Switch = { on: Type.Boolean() };

function placeOf(network: DevControl, validator: string): number {
  const place = network.node.seats.findIndex(({ validatorId }) => validatorId === validator);
  if (place < 0) throw new RangeError(`there is no validator ${validator} here`);
  return place;
}

export const dropTransaction = defineAction({
  name: 'drop_transaction',
  summary: 'forgets a transaction that waits in the mempool',
  fields: { transaction_id: Id },
  perform: async (network, { transaction_id }) => ({
    answer: { dropped: network.node.composed.core.mempool.drop(transaction_id) },
  }),
});

export const pauseFinality = defineAction({
  name: 'pause_finality',
  summary: 'keeps the committee from deciding cuts, or lets it continue',
  fields: Switch,
  perform: async (network, { on }) => {
    network.node.presence.pauseAll(on);
    return DONE;
  },
});

export const lagEvents = defineAction({
  name: 'lag_events',
  summary: 'makes every socket lose events as if it read too slowly',
  fields: Switch,
  perform: async (network, { on }) => {
    network.node.composed.front.sockets.lagEvents(on);
    return DONE;
  },
});

export const closeSockets = defineAction({
  name: 'close_sockets',
  summary: 'closes every socket',
  fields: {},
  perform: async (network) => {
    network.node.composed.front.sockets.closeAll();
    return DONE;
  },
});

export const equivocate = defineAction({
  name: 'equivocate',
  summary: 'makes a validator sign two votes for one position; it loses its bond',
  fields: { validator_id: Id },
  perform: async (network, { validator_id }) => {
    network.node.seats[placeOf(network, validator_id)]?.faults.equivocate();
    return DONE;
  },
});

export const missCuts = defineAction({
  name: 'miss_cuts',
  summary: 'keeps a validator away for so many cuts',
  fields: { validator_id: Id, cuts: Type.Integer({ minimum: 0, maximum: CUTS_MAX }) },
  perform: async (network, { validator_id, cuts }) => {
    network.node.presence.missCuts(placeOf(network, validator_id), cuts);
    return DONE;
  },
});
