/**
 * Who has to sign an operation. A missing or wrong signature makes the transaction invalid.
 */
import type { CutContext } from '../context.ts';
import type { Address, Identifier } from '../identifiers.ts';
import type { ValidatorRecord } from '../records.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import { keyLookup } from './key-registry.ts';
import { invalid, noEffect, type Refusal } from './refusal.ts';

export function wrongOwner(
  context: CutContext,
  transaction: ExecutableTransaction,
  owner: Address,
): Refusal | null {
  const holds = context.signatures.operation(transaction, owner, keyLookup(context));
  return holds ? null : invalid('wrong_operation_witness');
}

/** The active validator that its owner acts on, or why that is not possible. */
export function ownedValidator(
  context: CutContext,
  transaction: ExecutableTransaction,
  validatorId: Identifier,
): ValidatorRecord | Refusal {
  const validator = context.state.get('validators', validatorId);
  if (validator === undefined) return noEffect('validator_unknown');
  const wrong = wrongOwner(context, transaction, validator.ownerAddress);
  if (wrong !== null) return wrong;
  return validator.status === 'active' ? validator : noEffect('validator_left');
}
