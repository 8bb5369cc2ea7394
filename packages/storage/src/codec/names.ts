/**
 * Codes of names in stored records: the place in these lists. Lists grow at the end only.
 */
import type { PositionKind, ValidatorStatus } from 'svc-ledger';

export {
  CHANGE_KINDS as HISTORY_KINDS,
  OUTCOME_KINDS,
  OUTPUT_SOURCES as SOURCES,
} from 'svc-wasm/protocol';

export const POSITION_KINDS = [
  'self_bond',
  'delegation',
] as const satisfies readonly PositionKind[];

export const VALIDATOR_STATUSES = [
  'active',
  'exited',
  'removed',
] as const satisfies readonly ValidatorStatus[];
