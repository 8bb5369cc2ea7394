/**
 * Who has to sign an operation, and on which records it can act.
 */
import { present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import { type Address, type Identifier, keyAddress } from '../identifiers.ts';
import type { Operation } from '../operation.ts';
import type { ValidatorRecord } from '../records.ts';
import type { StateView } from '../view.ts';
import { noEffect, type Refusal } from './refusal.ts';

/** The address that has to sign, or why there is none. */
export function ownerOf(
  context: { readonly state: StateView },
  operation: Operation,
): Address | Refusal {
  switch (operation.type) {
    case 'bond':
    case 'validator_register':
      return operation.ownerAddress;
    case 'unbond':
    case 'withdraw':
    case 'reward_address':
      return (
        context.state.get('positions', operation.positionId)?.ownerAddress ??
        noEffect('position_unknown')
      );
    case 'heartbeat':
    case 'rotate_key':
    case 'endpoint':
    case 'commission':
    case 'exit': {
      const validator = context.state.get('validators', operation.validatorId);
      if (validator === undefined) return noEffect('validator_unknown');
      return operation.type === 'heartbeat'
        ? keyAddress(validator.consensusKey.keyHash)
        : validator.ownerAddress;
    }
  }
}

/** A validator that exists, as long as it has not left. */
export function activeValidator(
  context: CutContext,
  validatorId: Identifier,
): ValidatorRecord | Refusal {
  const validator = present(context.state.get('validators', validatorId), 'validator');
  return validator.status === 'active' ? validator : noEffect('validator_left');
}
