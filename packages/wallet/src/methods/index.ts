/**
 * Every method that a call can reach, by name. Subscriptions belong to a connection and are not among them.
 */
import type { MethodName } from 'svc-api/rpc';
import { addresses } from './addresses.ts';
import { balance } from './balance.ts';
import { burn } from './burn.ts';
import { compound } from './compound.ts';
import type { Handler } from './handler.ts';
import { history } from './history.ts';
import { incoming } from './incoming.ts';
import { newAddress } from './new-address.ts';
import { outputs } from './outputs.ts';
import { pending } from './pending.ts';
import { positions } from './positions.ts';
import { proofRequest } from './proof-request.ts';
import { proveAddress } from './prove-address.ts';
import { receive } from './receive.ts';
import { received } from './received.ts';
import { rescan } from './rescan.ts';
import { send } from './send.ts';
import { sendMany } from './send-many.ts';
import { setLabel } from './set-label.ts';
import { stake } from './stake.ts';
import { status } from './status.ts';
import { sweep } from './sweep.ts';
import { transaction } from './transaction.ts';
import { unstake } from './unstake.ts';
import { validateAddress } from './validate-address.ts';
import {
  rewardAddress,
  validatorCommission,
  validatorEndpoint,
  validatorExit,
  validatorHeartbeat,
  validatorRegister,
  validatorRotate,
} from './validator-operations.ts';
import { validators } from './validators.ts';
import { verifyAddressProof } from './verify-address-proof.ts';
import { withdraw } from './withdraw.ts';

export type CallableMethod = Exclude<MethodName, 'subscribe' | 'unsubscribe'>;

export const HANDLERS: { readonly [N in CallableMethod]: Handler<N> } = {
  status,
  balance,
  pending,
  rescan,
  new_address: newAddress,
  receive,
  addresses,
  set_label: setLabel,
  validate_address: validateAddress,
  received,
  incoming,
  outputs,
  history,
  transaction,
  send,
  send_many: sendMany,
  sweep,
  burn,
  compound,
  validators,
  positions,
  stake,
  unstake,
  withdraw,
  proof_request: proofRequest,
  prove_address: proveAddress,
  verify_address_proof: verifyAddressProof,
  validator_register: validatorRegister,
  validator_heartbeat: validatorHeartbeat,
  validator_rotate: validatorRotate,
  validator_endpoint: validatorEndpoint,
  validator_commission: validatorCommission,
  validator_exit: validatorExit,
  reward_address: rewardAddress,
};
