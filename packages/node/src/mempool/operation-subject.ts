/**
 * Operations of which only the first can take effect: a second one that waits beside it would be carried for
 * nothing and pay nothing. They conflict as two spends of one output do.
 */
import type { Operation } from 'svc-ledger';

/** What only one waiting operation may have; null for operations that can stand beside each other. */
export function operationSubject(operation: Operation | null): string | null {
  switch (operation?.type) {
    case 'withdraw':
      return `withdraw ${operation.positionId}`;
    case 'heartbeat':
      return `heartbeat ${operation.validatorId} ${operation.epoch}`;
    case 'rotate_key':
    case 'commission':
    case 'exit':
      return `${operation.type} ${operation.validatorId}`;
    case 'validator_register':
      return `key ${operation.consensusKey.keyHash}`;
    default:
      return null;
  }
}
