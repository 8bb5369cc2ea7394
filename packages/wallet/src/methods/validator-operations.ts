/** The methods of a validator's operator. */
import { COMMISSION_BPS_DEFAULT, CONSENSUS_KEY_INDEX_MAX, SELF_BOND_COINS_MIN } from 'svc-api/rpc';
import { parseAmount } from 'svc-wasm';
import { WalletError } from '../base/wallet-error.ts';
import type { Handler } from './handler.ts';
import { perform } from './perform.ts';
import { addressOf, atomsOf, given } from './values.ts';

export const validatorRegister: Handler<'validator_register'> = (wallet, params) => {
  const amount = atomsOf(params.amount, 'amount');
  if (BigInt(amount) < BigInt(parseAmount(String(SELF_BOND_COINS_MIN)))) {
    const message = `a self-bond has at least ${SELF_BOND_COINS_MIN} coins`;
    throw new WalletError('invalid_amount', message, { path: 'amount' });
  }
  return perform(wallet, 'validator_register', params.request_id, {
    amount,
    overlay_endpoint_hex: params.overlay_endpoint_hex,
    ...given({ dry_run: params.dry_run }),
    commission_bps: params.commission_bps ?? COMMISSION_BPS_DEFAULT,
    consensus_key_index: params.consensus_key_index ?? CONSENSUS_KEY_INDEX_MAX,
    ...(params.reward_address === undefined
      ? {}
      : { reward_address: addressOf(wallet, params.reward_address, 'reward_address') }),
  });
};

export const validatorHeartbeat: Handler<'validator_heartbeat'> = (wallet, params) =>
  perform(wallet, 'validator_heartbeat', params.request_id, {
    ...given({ dry_run: params.dry_run }),
    validator: params.validator,
    consensus_key_index: params.consensus_key_index ?? CONSENSUS_KEY_INDEX_MAX,
  });

export const validatorRotate: Handler<'validator_rotate'> = (wallet, { request_id, ...params }) =>
  perform(wallet, 'validator_rotate', request_id, params);

export const validatorEndpoint: Handler<'validator_endpoint'> = (
  wallet,
  { request_id, ...params },
) => perform(wallet, 'validator_endpoint', request_id, params);

export const validatorCommission: Handler<'validator_commission'> = (
  wallet,
  { request_id, ...params },
) => perform(wallet, 'validator_commission', request_id, params);

export const validatorExit: Handler<'validator_exit'> = (wallet, { request_id, ...params }) =>
  perform(wallet, 'validator_exit', request_id, params);

export const rewardAddress: Handler<'reward_address'> = (wallet, params) => {
  const { request_id, to, ...options } = params;
  return perform(wallet, 'reward_address', request_id, {
    ...options,
    to: addressOf(wallet, to, 'to'),
  });
};
