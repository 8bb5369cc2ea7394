/**
 * The group `staking`: validators to choose from, the wallet's positions, and moving coins in and out of them.
 */

import { STAKE_COINS_MIN } from 'svc-api/rpc';
import { formatAmount, parseAmount } from 'svc-wasm';
import { coinsOf } from '../amounts.ts';
import { WalletError } from '../errors.ts';
import { reading } from '../node/node-fault.ts';
import { addressOf, atomsOf, given, type Handler, payingMethod } from './method.ts';
import {
  bondedOf,
  findOwnPosition,
  firstOwner,
  makeOperation,
  positionReader,
  readPositions,
} from './operation.ts';

interface KeptStake {
  readonly validator: string;
  /** Atoms. */
  readonly amount: string;
  readonly reward_address?: string;
  readonly fee_per_mass?: string;
}

interface KeptUnstake {
  readonly position: string;
  /** Atoms; the whole unless given. */
  readonly amount?: string;
  readonly fee_per_mass?: string;
}

export const validators: Handler<'validators'> = async (wallet, { cursor, limit }) => {
  const { client } = wallet.node;
  const page = await reading(client.stakingValidators(given({ cursor, limit })));
  const positions = await readPositions(positionReader(wallet));
  const own = new Set(positions.map(({ validator }) => validator));
  return {
    epoch: page.epoch,
    finalized_height: page.finalized_height,
    validators: page.validators.map(({ validator, state, committee, stake, commission_bps }) => ({
      validator,
      state,
      committee,
      stake: coinsOf(BigInt(stake)),
      commission_bps,
      own: own.has(validator),
    })),
    ...given({ next_cursor: page.next_cursor }),
  };
};

export const positions: Handler<'positions'> = async (wallet) => ({
  positions: (await readPositions(positionReader(wallet))).map((position) => ({
    position: position.position,
    kind: position.kind,
    validator: position.validator,
    owner_address: position.owner_address,
    reward_address: position.reward_address,
    principal: coinsOf(BigInt(position.principal)),
    bonded: coinsOf(bondedOf(position)),
    unbonding: position.unbonding.map(({ amount, withdrawable_height }) => ({
      amount: coinsOf(BigInt(amount)),
      withdrawable_height,
    })),
    state: position.state,
  })),
});

export const stake = payingMethod('stake', {
  read: (wallet, { amount, reward_address, ...options }): KeptStake => ({
    amount: stakeOf(amount),
    ...(reward_address === undefined
      ? {}
      : { reward_address: addressOf(wallet, reward_address, 'reward_address') }),
    ...options,
  }),
  make: async (builder, kept) => {
    const owner = firstOwner(builder);
    const rewardAddress = kept.reward_address ?? owner.address;
    return await makeOperation(builder, {
      kind: 'stake',
      owner,
      bonded: BigInt(kept.amount),
      feePerMass: kept.fee_per_mass,
      request: {
        type: 'bond',
        data: {
          validator_id: kept.validator,
          owner_address: owner.address,
          reward_address: rewardAddress,
          amount: kept.amount,
        },
      },
      facts: {
        validator: kept.validator,
        owner_address: owner.address,
        reward_address: rewardAddress,
        amount: formatAmount(kept.amount),
      },
    });
  },
});

export const unstake = payingMethod('unstake', {
  read: (_, { amount, ...options }): KeptUnstake => ({
    ...(amount === undefined ? {} : { amount: atomsOf(amount, 'amount') }),
    ...options,
  }),
  make: async (builder, kept) => {
    const { position, owner } = await findOwnPosition(builder, kept.position);
    const bonded = bondedOf(position);
    const amount = kept.amount ?? String(bonded);
    if (BigInt(amount) > bonded || BigInt(amount) === 0n) {
      const message = `${coinsOf(bonded)} coins are bonded`;
      throw new WalletError('insufficient_funds', message, { path: 'amount' });
    }
    if (position.kind === 'delegation') expectRest(bonded - BigInt(amount));
    return await makeOperation(builder, {
      kind: 'unstake',
      owner,
      feePerMass: kept.fee_per_mass,
      request: { type: 'unbond', data: { position_id: kept.position, amount } },
      facts: { position: kept.position, amount: formatAmount(amount) },
    });
  },
});

function isStake(atoms: bigint): boolean {
  return atoms >= BigInt(parseAmount(String(STAKE_COINS_MIN)));
}

function stakeOf(coins: string): string {
  const amount = atomsOf(coins, 'amount');
  if (isStake(BigInt(amount))) return amount;
  const message = `a delegation has at least ${STAKE_COINS_MIN} coins`;
  throw new WalletError('invalid_amount', message, { path: 'amount' });
}

/** Refuses to leave less than the minimum of a delegation. */
function expectRest(rest: bigint): void {
  if (rest === 0n || isStake(rest)) return;
  const message = `${coinsOf(rest)} coins would stay, and a delegation has at least ${STAKE_COINS_MIN}`;
  throw new WalletError('invalid_amount', message, {
    path: 'amount',
    hint: 'take out less, or everything',
  });
}

export const withdraw = payingMethod('withdraw', {
  read: (_, params) => params,
  make: async (builder, kept) => {
    const { position, owner } = await findOwnPosition(builder, kept.position);
    const due = position.unbonding
      .filter(({ withdrawable_height }) => withdrawable_height <= builder.height)
      .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    if (due === 0n) {
      const next = position.unbonding[0]?.withdrawable_height;
      const hint = next === undefined ? 'unstake first' : `the next part is due at height ${next}`;
      throw new WalletError('nothing_to_do', 'nothing of the position can be withdrawn yet', {
        hint,
      });
    }
    return await makeOperation(builder, {
      kind: 'withdraw',
      owner,
      feePerMass: kept.fee_per_mass,
      request: { type: 'withdraw', data: { position_id: kept.position } },
      facts: { position: kept.position, amount: coinsOf(due) },
    });
  },
});
