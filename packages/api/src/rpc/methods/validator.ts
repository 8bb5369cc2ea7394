/**
 * Methods for the operator of a validator, beyond the specification: the command line uses them when a daemon
 * holds the wallet.
 */
import { Type } from 'typebox';
import { ADDRESS, ID, SENT_EXAMPLE, SENT_FIELDS } from '../documents.ts';
import { methodsOf } from '../method.ts';
import { Address, Coins, CoinsIn, DryRun, Identifier, params, RequestId } from '../scalars.ts';

const define = methodsOf('validator');

export const CONSENSUS_KEY_INDEX_MIN = 2_147_418_112;
export const CONSENSUS_KEY_INDEX_MAX = 2_147_483_647;
export const COMMISSION_BPS_DEFAULT = 500;
export const SELF_BOND_COINS_MIN = 100_000;

const ConsensusKeyIndex = Type.Integer({
  minimum: CONSENSUS_KEY_INDEX_MIN,
  maximum: CONSENSUS_KEY_INDEX_MAX,
});
const CommissionBps = Type.Integer({ minimum: 0, maximum: 1_000, multipleOf: 10 });
const EndpointHex = Type.String({ pattern: '^([0-9a-f]{2}){1,1024}$' });

const ERRORS = [
  'insufficient_funds',
  'too_many_inputs',
  'fee_above_cap',
  'node_unreachable',
  'node_busy',
  'node_not_synced',
  'outcome_unknown',
  'wallet_busy',
  'rescanning',
  'wrong_chain',
  'node_refused',
  'unknown_position',
] as const;

const COMMON = { extension: true, errors: ERRORS } as const;

const validatorRegister = define({
  ...COMMON,
  name: 'validator_register',
  summary: 'Registers a validator with a self-bond.',
  params: params({
    amount: CoinsIn,
    overlay_endpoint_hex: EndpointHex,
    commission_bps: Type.Optional(CommissionBps),
    reward_address: Type.Optional(Address),
    consensus_key_index: Type.Optional(ConsensusKeyIndex),
    request_id: RequestId,
    dry_run: DryRun,
  }),
  result: Type.Object({
    kind: Type.Literal('validator_register'),
    owner_address: Address,
    reward_address: Address,
    amount: Coins,
    commission_bps: CommissionBps,
    consensus_key_index: ConsensusKeyIndex,
    ...SENT_FIELDS,
  }),
  example: {
    params: { amount: '100000', overlay_endpoint_hex: '01', request_id: 'register-1' },
    result: {
      kind: 'validator_register',
      owner_address: ADDRESS,
      reward_address: ADDRESS,
      amount: '100000.00000000',
      commission_bps: 500,
      consensus_key_index: CONSENSUS_KEY_INDEX_MAX,
      ...SENT_EXAMPLE,
    },
  },
});

const validatorHeartbeat = define({
  ...COMMON,
  name: 'validator_heartbeat',
  summary: 'Says by hand that a validator is there, once in an epoch.',
  params: params({
    validator: Identifier,
    consensus_key_index: Type.Optional(ConsensusKeyIndex),
    request_id: RequestId,
    dry_run: DryRun,
  }),
  result: Type.Object({
    kind: Type.Literal('validator_heartbeat'),
    validator: Identifier,
    epoch: Type.Integer({ minimum: 0 }),
    ...SENT_FIELDS,
  }),
  example: {
    params: { validator: ID, request_id: 'heartbeat-42' },
    result: { kind: 'validator_heartbeat', validator: ID, epoch: 42, ...SENT_EXAMPLE },
  },
});

const KEY_PARAMS = params({
  validator: Identifier,
  consensus_key_index: ConsensusKeyIndex,
  overlay_endpoint_hex: EndpointHex,
  request_id: RequestId,
  dry_run: DryRun,
});
const KEY_EXAMPLE = {
  validator: ID,
  consensus_key_index: CONSENSUS_KEY_INDEX_MAX - 1,
  overlay_endpoint_hex: '01',
} as const;

const validatorRotate = define({
  ...COMMON,
  name: 'validator_rotate',
  summary: 'Replaces the consensus key; the new one signs from the second epoch after.',
  params: KEY_PARAMS,
  result: Type.Object({
    kind: Type.Literal('validator_rotate'),
    validator: Identifier,
    consensus_key_index: ConsensusKeyIndex,
    ...SENT_FIELDS,
  }),
  example: {
    params: { ...KEY_EXAMPLE, request_id: 'rotate-1' },
    result: {
      kind: 'validator_rotate',
      validator: ID,
      consensus_key_index: CONSENSUS_KEY_INDEX_MAX - 1,
      ...SENT_EXAMPLE,
    },
  },
});

const validatorEndpoint = define({
  ...COMMON,
  name: 'validator_endpoint',
  summary: 'Replaces the registered endpoint; signed by the owner and the active consensus key.',
  params: KEY_PARAMS,
  result: Type.Object({
    kind: Type.Literal('validator_endpoint'),
    validator: Identifier,
    consensus_key_index: ConsensusKeyIndex,
    ...SENT_FIELDS,
  }),
  example: {
    params: { ...KEY_EXAMPLE, request_id: 'endpoint-1' },
    result: {
      kind: 'validator_endpoint',
      validator: ID,
      consensus_key_index: CONSENSUS_KEY_INDEX_MAX - 1,
      ...SENT_EXAMPLE,
    },
  },
});

const validatorCommission = define({
  ...COMMON,
  name: 'validator_commission',
  summary: 'Schedules a commission; it takes effect 14 epochs later.',
  params: params({
    validator: Identifier,
    commission_bps: CommissionBps,
    request_id: RequestId,
    dry_run: DryRun,
  }),
  result: Type.Object({
    kind: Type.Literal('validator_commission'),
    validator: Identifier,
    commission_bps: CommissionBps,
    ...SENT_FIELDS,
  }),
  example: {
    params: { validator: ID, commission_bps: 300, request_id: 'commission-1' },
    result: {
      kind: 'validator_commission',
      validator: ID,
      commission_bps: 300,
      ...SENT_EXAMPLE,
    },
  },
});

const validatorExit = define({
  ...COMMON,
  name: 'validator_exit',
  summary: 'Leaves the validator set for good; every position unbonds.',
  params: params({ validator: Identifier, request_id: RequestId, dry_run: DryRun }),
  result: Type.Object({
    kind: Type.Literal('validator_exit'),
    validator: Identifier,
    ...SENT_FIELDS,
  }),
  example: {
    params: { validator: ID, request_id: 'exit-1' },
    result: { kind: 'validator_exit', validator: ID, ...SENT_EXAMPLE },
  },
});

const rewardAddress = define({
  ...COMMON,
  name: 'reward_address',
  summary: 'Sends the rewards of a position to another address.',
  params: params({ position: Identifier, to: Address, request_id: RequestId, dry_run: DryRun }),
  result: Type.Object({
    kind: Type.Literal('reward_address'),
    position: Identifier,
    to: Address,
    ...SENT_FIELDS,
  }),
  example: {
    params: { position: ID, to: ADDRESS, request_id: 'rewards-1' },
    result: { kind: 'reward_address', position: ID, to: ADDRESS, ...SENT_EXAMPLE },
  },
});

export const VALIDATOR_METHODS = {
  validator_register: validatorRegister,
  validator_heartbeat: validatorHeartbeat,
  validator_rotate: validatorRotate,
  validator_endpoint: validatorEndpoint,
  validator_commission: validatorCommission,
  validator_exit: validatorExit,
  reward_address: rewardAddress,
} as const;
