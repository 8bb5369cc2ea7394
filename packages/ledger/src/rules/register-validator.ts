/**
 * `validator_register`: a self-bond of at least 100,000 coins and an unused consensus key with a proof of possession.
 * The validator is eligible from the second epoch after this one.
 */
import type { CutContext, Hash } from '../context.ts';
import { bytesOf, type Identifier } from '../identifiers.ts';
import { ELIGIBILITY_DELAY_EPOCHS, SELF_BOND_MIN } from '../parameters.ts';
import type { OperationOf } from '../protocol.ts';
import { LABELS, toHex } from '../protocol.ts';
import type { ValidatorRecord } from '../records.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import { openPosition } from './bond.ts';
import { isCommission } from './change-commission.ts';
import { isKeyUsed, registerKey } from './key-registry.ts';
import { positionIdOf } from './positions.ts';
import { invalid, noEffect, type Refusal } from './refusal.ts';

export function validatorIdOf(hash: Hash, transactionId: Identifier): Identifier {
  return toHex(hash(LABELS.validator, bytesOf(transactionId)));
}

export function registerValidator(
  context: CutContext,
  operation: OperationOf<'validator_register'>,
  transaction: ExecutableTransaction,
): Refusal | null {
  const { amount, commissionBps, consensusKey } = operation;
  if (!isCommission(commissionBps)) return invalid('bad_commission');
  if (amount < SELF_BOND_MIN) return invalid('below_self_bond');
  if (isKeyUsed(context, consensusKey)) return noEffect('key_used_before');
  const validatorId = validatorIdOf(context.hash, transaction.id);
  const selfBondId = positionIdOf(context.hash, transaction.id);
  context.state.put('validators', validatorId, {
    ...newValidator(operation, selfBondId),
    registeredEpoch: context.epoch,
    eligibleFromEpoch: context.epoch + ELIGIBILITY_DELAY_EPOCHS,
  });
  registerKey(context, consensusKey, transaction.id);
  openPosition(context, transaction.id, validatorId, 'self_bond', operation);
  context.events.validators.push({ type: 'registered', validatorId });
  return null;
}

/** A validator with nothing but its own bond, as one of genesis: registered and eligible at once. */
export function newValidator(
  terms: Omit<OperationOf<'validator_register'>, 'type' | 'rewardAddress'>,
  selfBondId: Identifier,
): ValidatorRecord {
  return {
    status: 'active',
    ownerAddress: terms.ownerAddress,
    selfBondId,
    consensusKey: terms.consensusKey,
    pendingKey: null,
    endpoint: terms.endpoint,
    pendingEndpoint: null,
    commissionBps: terms.commissionBps,
    pendingCommission: null,
    stake: terms.amount,
    positionCount: 1,
    registeredEpoch: 0,
    eligibleFromEpoch: 0,
    heartbeatEpoch: null,
    jailedUntilEpoch: 0,
    endHeight: 0,
    removedHeight: 0,
    removalBurned: 0n,
    slashableBonded: 0n,
    slashableUnbonding: 0n,
  };
}
