/**
 * One rule for each operation. Its witnesses hold and what it acts on exists; a rule checks everything
 * else before it changes anything.
 */
import type { CutContext } from '../context.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import { bond } from './bond.ts';
import { changeCommission } from './change-commission.ts';
import { changeEndpoint } from './change-endpoint.ts';
import { changeRewardAddress } from './change-reward-address.ts';
import { exitValidator } from './exit-validator.ts';
import { heartbeat } from './heartbeat.ts';
import type { Refusal } from './refusal.ts';
import { registerValidator } from './register-validator.ts';
import { rotateKey } from './rotate-key.ts';
import { unbond } from './unbond.ts';
import { withdraw } from './withdraw.ts';

export function applyOperation(
  context: CutContext,
  transaction: ExecutableTransaction,
): Refusal | null {
  const { operation } = transaction;
  if (operation === null) return null;
  switch (operation.type) {
    case 'bond':
      return bond(context, transaction, operation);
    case 'unbond':
      return unbond(context, operation);
    case 'withdraw':
      return withdraw(context, transaction, operation);
    case 'validator_register':
      return registerValidator(context, transaction, operation);
    case 'heartbeat':
      return heartbeat(context, operation);
    case 'reward_address':
      return changeRewardAddress(context, operation);
    case 'rotate_key':
      return rotateKey(context, transaction, operation);
    case 'endpoint':
      return changeEndpoint(context, operation);
    case 'commission':
      return changeCommission(context, operation);
    case 'exit':
      return exitValidator(context, operation);
  }
}
