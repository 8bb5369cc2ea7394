/**
 * Staking for people: bond to a validator, unbond, withdraw.
 */
import { formatAmount } from 'svc-wasm';
import { WalletError } from '../../base/wallet-error.ts';
import type { Workbench } from '../../spend/workbench.ts';
import type { Made } from '../record.ts';
import { bondedOf, findPosition, firstOwner, makeOperation } from './operation.ts';

export interface StakeParams {
  readonly validator: string;
  readonly amount: string;
  readonly reward_address?: string;
  readonly fee_per_mass?: string;
}

export interface UnstakeParams {
  readonly position: string;
  /** The whole unless given. */
  readonly amount?: string;
  readonly fee_per_mass?: string;
}

export interface WithdrawParams {
  readonly position: string;
  readonly fee_per_mass?: string;
}

export async function makeStake(bench: Workbench, params: StakeParams): Promise<Made> {
  const owner = firstOwner(bench);
  const rewardAddress = params.reward_address ?? owner.address;
  return await makeOperation(bench, {
    kind: 'stake',
    owner,
    bonded: BigInt(params.amount),
    feePerMass: params.fee_per_mass,
    request: {
      type: 'bond',
      data: {
        validator_id: params.validator,
        owner_address: owner.address,
        reward_address: rewardAddress,
        amount: params.amount,
      },
    },
    facts: {
      validator: params.validator,
      owner_address: owner.address,
      reward_address: rewardAddress,
      amount: formatAmount(params.amount),
    },
  });
}

export async function makeUnstake(bench: Workbench, params: UnstakeParams): Promise<Made> {
  const { position, owner } = await findOwn(bench, params.position);
  const bonded = bondedOf(position);
  const amount = params.amount ?? String(bonded);
  if (BigInt(amount) > bonded || BigInt(amount) === 0n) {
    const message = `${formatAmount(String(bonded))} coins are bonded`;
    throw new WalletError('insufficient_funds', message, { path: 'amount' });
  }
  return await makeOperation(bench, {
    kind: 'unstake',
    owner,
    feePerMass: params.fee_per_mass,
    request: { type: 'unbond', data: { position_id: params.position, amount } },
    facts: { position: params.position, amount: formatAmount(amount) },
  });
}

export async function makeWithdraw(bench: Workbench, params: WithdrawParams): Promise<Made> {
  const { position, owner } = await findOwn(bench, params.position);
  const due = position.unbonding
    .filter(({ withdrawable_height }) => withdrawable_height <= bench.height)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  if (due === 0n) {
    const next = position.unbonding[0]?.withdrawable_height;
    const hint = next === undefined ? 'unstake first' : `the next part is due at height ${next}`;
    throw new WalletError('nothing_to_do', 'nothing of the position can be withdrawn yet', {
      hint,
    });
  }
  return await makeOperation(bench, {
    kind: 'withdraw',
    owner,
    feePerMass: params.fee_per_mass,
    request: { type: 'withdraw', data: { position_id: params.position } },
    facts: { position: params.position, amount: formatAmount(String(due)) },
  });
}

function findOwn(bench: Workbench, id: string): ReturnType<typeof findPosition> {
  return findPosition(bench, ({ position }) => position === id, 'position');
}
