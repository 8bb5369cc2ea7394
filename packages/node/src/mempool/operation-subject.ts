/**
 * Operations of which only the first can take effect: a second one that waits beside it would be carried for
 * nothing and pay nothing. They conflict as two spends of one output do.
 */
import type { Operation, OperationOf, OperationType } from 'svc-ledger';

/** What only one waiting operation may have, by type; null for operations that can stand beside each other. */
const SUBJECTS: {
  readonly [Type in OperationType]: ((operation: OperationOf<Type>) => string) | null;
} = {
  bond: null,
  unbond: null,
  withdraw: ({ positionId }) => `withdraw ${positionId}`,
  validator_register: ({ consensusKey }) => `key ${consensusKey.keyHash}`,
  heartbeat: ({ validatorId, epoch }) => `heartbeat ${validatorId} ${epoch}`,
  reward_address: null,
  rotate_key: ({ validatorId }) => `rotate_key ${validatorId}`,
  endpoint: null,
  commission: ({ validatorId }) => `commission ${validatorId}`,
  exit: ({ validatorId }) => `exit ${validatorId}`,
};

/** What no other waiting operation may have; null if there is no operation or it stands beside others. */
export function operationSubject(operation: Operation | null): string | null {
  return operation === null ? null : subjectOf(operation);
}

function subjectOf<Type extends OperationType>(operation: OperationOf<Type>): string | null {
  return SUBJECTS[operation.type]?.(operation) ?? null;
}
