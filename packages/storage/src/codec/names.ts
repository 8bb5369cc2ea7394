/**
 * Codes of names in stored records: the place in these lists. Lists grow at the end only.
 */
import type {
  HistoryEntry,
  OutcomeKind,
  OutputSource,
  PositionKind,
  ValidatorStatus,
} from 'svc-ledger';

export const SOURCES = [
  'regular',
  'work_reward',
  'stake_reward',
  'stake_return',
  'genesis',
] as const satisfies readonly OutputSource[];

export const POSITION_KINDS = [
  'self_bond',
  'delegation',
] as const satisfies readonly PositionKind[];

export const VALIDATOR_STATUSES = [
  'active',
  'exited',
  'removed',
] as const satisfies readonly ValidatorStatus[];

export const HISTORY_KINDS = [
  'received',
  'spent',
] as const satisfies readonly HistoryEntry['kind'][];

export const OUTCOME_KINDS = [
  'finalized',
  'skipped',
  'expired',
  'not_yet_valid',
  'conflict',
  'unknown_input',
  'invalid',
  'no_effect',
] as const satisfies readonly OutcomeKind[];
