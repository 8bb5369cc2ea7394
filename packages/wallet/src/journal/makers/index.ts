/**
 * Every kind of request that moves money, by the name under which it is recorded.
 */
import type { Workbench } from '../../spend/workbench.ts';
import type { Made, Make } from '../record.ts';
import { makeBurn, makePayment, makePayments } from './payment.ts';
import { makeStake, makeUnstake, makeWithdraw } from './staking.ts';
import { makeCompoundOf, makeSweep } from './sweep.ts';
import {
  makeCommission,
  makeEndpoint,
  makeExit,
  makeHeartbeat,
  makeRegister,
  makeRewardAddress,
  makeRotate,
} from './validator.ts';

const MAKERS = {
  send: makePayment,
  send_many: makePayments,
  burn: makeBurn,
  sweep: makeSweep,
  compound: makeCompoundOf,
  stake: makeStake,
  unstake: makeUnstake,
  withdraw: makeWithdraw,
  validator_register: makeRegister,
  validator_heartbeat: makeHeartbeat,
  validator_rotate: makeRotate,
  validator_endpoint: makeEndpoint,
  validator_commission: makeCommission,
  validator_exit: makeExit,
  reward_address: makeRewardAddress,
} as const;

export type OutgoingMethod = keyof typeof MAKERS;
export type OutgoingParams<M extends OutgoingMethod> = Parameters<(typeof MAKERS)[M]>[1];

/** The parameters are those of the method: the caller checked them, or they come from the record. */
export function makerOf(method: string, params: unknown): Make {
  const make = (MAKERS as Record<string, (bench: Workbench, params: never) => Promise<Made>>)[
    method
  ];
  if (make === undefined) throw new RangeError(`no request is called ${method}`);
  return (bench) => make(bench, params as never);
}
