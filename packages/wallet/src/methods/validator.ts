/**
 * The group `validator`: what the operator of a validator does with the owner's wallet. Consensus keys come from the top
 * of the wallet's receiving branch, where no address is ever given out.
 */
import { COMMISSION_BPS_DEFAULT, CONSENSUS_KEY_INDEX_MAX, SELF_BOND_COINS_MIN } from 'svc-api/rpc';
import {
  addressFromPublicKey,
  BRANCHES,
  formatAmount,
  type OperationRequest,
  parseAmount,
} from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { WalletError } from '../errors.ts';
import type { Made } from '../journal/record.ts';
import { ACCOUNT } from '../keys/key-ring.ts';
import { reading } from '../node/node-fault.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import type { OwnAddress, SpendingAddress } from '../state/addresses.ts';
import { addressOf, atomsOf, payingMethod } from './method.ts';
import { findOwnPosition, findPosition, firstOwner, makeOperation } from './operation.ts';

interface KeptRegistration {
  /** Atoms. */
  readonly amount: string;
  readonly overlay_endpoint_hex: string;
  readonly commission_bps: number;
  readonly reward_address?: string;
  readonly consensus_key_index: number;
}

/** Operators take the next lower index for a rotation; deriving a key takes the better part of a millisecond. */
const KEYS_TRIED = 256;

interface KeptConsensusKey {
  readonly validator: string;
  readonly consensus_key_index: number;
  readonly overlay_endpoint_hex: string;
}

export const validatorRegister = payingMethod('validator_register', {
  read: (wallet, params): KeptRegistration => ({
    amount: selfBondOf(params.amount),
    overlay_endpoint_hex: params.overlay_endpoint_hex,
    commission_bps: params.commission_bps ?? COMMISSION_BPS_DEFAULT,
    consensus_key_index: params.consensus_key_index ?? CONSENSUS_KEY_INDEX_MAX,
    ...(params.reward_address === undefined
      ? {}
      : { reward_address: addressOf(wallet, params.reward_address, 'reward_address') }),
  }),
  make: makeRegistration,
});

/** Signed by the consensus key, which owns no coins; the wallet's coins pay. */
export const validatorHeartbeat = payingMethod('validator_heartbeat', {
  read: (_, { validator, consensus_key_index = null }) => ({ validator, consensus_key_index }),
  make: async (builder, { validator, consensus_key_index }) => {
    const { epoch } = await reading(builder.client.chainHead());
    const index = consensus_key_index ?? (await activeKeyIndex(builder, validator));
    return await makeOperation(builder, {
      kind: 'validator_heartbeat',
      owner: consensusOwner(builder, index),
      request: { type: 'heartbeat', data: { validator_id: validator, epoch: String(epoch) } },
      facts: { validator, epoch },
    });
  },
});

export const validatorRotate = payingMethod('validator_rotate', {
  read: (_, params): KeptConsensusKey => params,
  make: (builder, kept) => withConsensusKey(builder, kept, 'rotate_key', 'validator_rotate'),
});

export const validatorEndpoint = payingMethod('validator_endpoint', {
  read: (_, params): KeptConsensusKey => params,
  make: (builder, kept) => withConsensusKey(builder, kept, 'endpoint', 'validator_endpoint'),
});

export const validatorCommission = payingMethod('validator_commission', {
  read: (_, params) => params,
  make: async (builder, { validator, commission_bps }) => {
    const data = { validator_id: validator, commission_bps: String(commission_bps) };
    return await makeOperation(builder, {
      kind: 'validator_commission',
      owner: await ownerOf(builder, validator),
      request: { type: 'commission', data },
      facts: { validator, commission_bps },
    });
  },
});

export const validatorExit = payingMethod('validator_exit', {
  read: (_, params) => params,
  make: async (builder, { validator }) => {
    const request: OperationRequest = { type: 'exit', data: { validator_id: validator } };
    const owner = await ownerOf(builder, validator);
    return await makeOperation(builder, {
      kind: 'validator_exit',
      owner,
      request,
      facts: { validator },
    });
  },
});

export const rewardAddress = payingMethod('reward_address', {
  read: (wallet, { position, to }) => ({ position, to: addressOf(wallet, to, 'to') }),
  make: async (builder, { position, to }) => {
    const { owner } = await findOwnPosition(builder, position);
    return await makeOperation(builder, {
      kind: 'reward_address',
      owner,
      request: { type: 'reward_address', data: { position_id: position, reward_address: to } },
      facts: { position, to },
    });
  },
});

function selfBondOf(coins: string): string {
  const amount = atomsOf(coins, 'amount');
  if (BigInt(amount) >= BigInt(parseAmount(String(SELF_BOND_COINS_MIN)))) return amount;
  const message = `a self-bond has at least ${SELF_BOND_COINS_MIN} coins`;
  throw new WalletError('invalid_amount', message, { path: 'amount' });
}

async function makeRegistration(builder: PaymentBuilder, kept: KeptRegistration): Promise<Made> {
  const owner = firstOwner(builder);
  const rewardAddress = kept.reward_address ?? owner.address;
  return await makeOperation(builder, {
    kind: 'validator_register',
    owner,
    bonded: BigInt(kept.amount),
    possession: kept.consensus_key_index,
    request: {
      type: 'validator_register',
      data: {
        owner_address: owner.address,
        reward_address: rewardAddress,
        amount: kept.amount,
        commission_bps: String(kept.commission_bps),
        consensus_public_key_hex: consensusKey(builder, kept.consensus_key_index),
        overlay_endpoint_hex: kept.overlay_endpoint_hex,
      },
    },
    facts: {
      owner_address: owner.address,
      reward_address: rewardAddress,
      amount: formatAmount(kept.amount),
      commission_bps: kept.commission_bps,
      consensus_key_index: kept.consensus_key_index,
    },
  });
}

async function withConsensusKey(
  builder: PaymentBuilder,
  { validator, consensus_key_index, overlay_endpoint_hex }: KeptConsensusKey,
  type: 'rotate_key' | 'endpoint',
  kind: string,
): Promise<Made> {
  const owner = await ownerOf(builder, validator);
  const data = {
    validator_id: validator,
    consensus_public_key_hex: consensusKey(builder, consensus_key_index),
    overlay_endpoint_hex,
  };
  return await makeOperation(builder, {
    kind,
    owner,
    possession: consensus_key_index,
    request: { type, data },
    facts: { validator, consensus_key_index },
  });
}

/** Which of the wallet's keys signs for a validator now: the first one, or one that a rotation has put in its place. */
async function activeKeyIndex(builder: PaymentBuilder, validator: string): Promise<number> {
  const { validator: found } = await reading(builder.client.stakingValidator({ id: validator }));
  for (let index = CONSENSUS_KEY_INDEX_MAX; index > CONSENSUS_KEY_INDEX_MAX - KEYS_TRIED; index--)
    if (consensusKey(builder, index) === found.consensus_key) return index;
  throw new WalletError(
    'unknown_position',
    `the active consensus key is none of the first ${KEYS_TRIED} of this wallet; name it with consensus_key_index`,
    { path: 'consensus_key_index' },
  );
}

function consensusOwner({ context, keychain }: PaymentBuilder, position: number): SpendingAddress {
  const branch = BRANCHES.receive;
  const publicKey = keychain.root.derivePublicKey(ACCOUNT, branch, position);
  const address = addressFromPublicKey(publicKey, context.terms.network);
  return { id: -1, branch, position, address, isKeyRegistered: false };
}

/** The owner of a validator is the owner of its self-bond. */
async function ownerOf(builder: PaymentBuilder, validator: string): Promise<OwnAddress> {
  const { owner } = await findPosition(
    builder,
    (position) => position.kind === 'self_bond' && position.validator === validator,
    'validator',
  );
  return owner;
}

function consensusKey({ keychain }: PaymentBuilder, index: number): string {
  return toHex(keychain.root.derivePublicKey(ACCOUNT, BRANCHES.receive, index));
}
