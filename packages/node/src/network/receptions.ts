/**
 * Which refusals blame the peer that sent something. Only what is wrong whatever the state does: a peer that
 * knows the rules would not have passed it on. Everything that time, order or room may explain does not.
 */
import type { Reception, TransactionReception } from 'svc-network';
import type { BlockAdmission } from '../ports/blocks.ts';
import type { Admission } from '../ports/mempool.ts';

const WRONG_TRANSACTIONS: ReadonlySet<string> = new Set([
  'truncated',
  'trailing_bytes',
  'not_canonical',
  'unsupported_version',
  'wrong_chain',
  'no_inputs',
  'too_many_inputs',
  'duplicate_input',
  'no_outputs',
  'too_many_outputs',
  'zero_amount',
  'amount_too_large',
  'bad_address',
  'bad_commission',
  'bad_endpoint',
  'payload_too_long',
  'transaction_too_large',
  'unknown_profile',
  'bad_policy',
  'bad_signers',
  'wrong_witness_count',
  'possession_missing',
  'possession_unexpected',
  'bad_signature',
  'bad_spend_signature',
  'bad_operation_signature',
  'bad_possession_signature',
]);

const WRONG_BLOCKS: ReadonlySet<string> = new Set([
  ...WRONG_TRANSACTIONS,
  'bad_block',
  'bad_length',
  'wrong_target',
  'bad_parents',
]);

export function transactionReception(admission: Admission): TransactionReception {
  if (admission.type !== 'refused') return { reception: admission.type, id: admission.id };
  return { reception: WRONG_TRANSACTIONS.has(admission.code) ? 'reject' : 'ignore' };
}

export function blockReception(admission: BlockAdmission): Reception {
  switch (admission.type) {
    case 'accepted':
    case 'known':
      return admission.type;
    case 'late':
      return 'ignore';
    case 'refused':
      if (admission.code === 'target_missed') return 'no_work';
      return WRONG_BLOCKS.has(admission.code) ? 'reject' : 'ignore';
  }
}
