/**
 * The validator that an operation is about, for rules that act on validators which have not left.
 */
import { present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import type { Identifier } from '../identifiers.ts';
import type { ValidatorRecord } from '../records.ts';
import { noEffect, type Refusal } from './refusal.ts';

/** A validator that exists, unless it has left. */
export function activeValidator(
  context: CutContext,
  validatorId: Identifier,
): ValidatorRecord | Refusal {
  const validator = present(context.state.get('validators', validatorId), 'validator');
  return validator.status === 'active' ? validator : noEffect('validator_left');
}
