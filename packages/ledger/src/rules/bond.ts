/**
 * `bond`: opens a delegation to an active validator with an amount taken from the inputs, the minimum of a position
 * or more.
 */
import type { CutContext } from '../context.ts';
import type { Identifier } from '../identifiers.ts';
import type { OperationOf } from '../protocol.ts';
import type { PositionKind } from '../records.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import { positionIdOf, slashOf } from './positions.ts';
import { invalid, noEffect, type Refusal } from './refusal.ts';

export function bond(
  context: CutContext,
  operation: OperationOf<'bond'>,
  transaction: ExecutableTransaction,
): Refusal | null {
  const { validatorId, amount } = operation;
  if (amount < context.parameters.positionMin) return invalid('below_position_minimum');
  const validator = context.state.get('validators', validatorId);
  if (validator === undefined) return noEffect('validator_unknown');
  if (validator.status !== 'active') return noEffect('validator_left');
  context.state.put('validators', validatorId, {
    ...validator,
    stake: validator.stake + amount,
    slashableBonded: validator.slashableBonded + slashOf(amount),
    positionCount: validator.positionCount + 1,
  });
  openPosition(context, transaction.id, validatorId, 'delegation', operation);
  return null;
}

export function openPosition(
  context: CutContext,
  transactionId: Identifier,
  validatorId: Identifier,
  kind: PositionKind,
  terms: Pick<OperationOf<'bond'>, 'ownerAddress' | 'rewardAddress' | 'amount'>,
): void {
  context.state.put('positions', positionIdOf(context.hash, transactionId), {
    kind,
    validatorId,
    ownerAddress: terms.ownerAddress,
    rewardAddress: terms.rewardAddress,
    bonded: terms.amount,
    unbonding: [],
    stood: [{ epoch: context.epoch, bonded: 0n }],
  });
  context.economy.bonded += terms.amount;
}
