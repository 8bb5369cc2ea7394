/**
 * What a refusal means for whoever sent the thing. A peer is blamed only for what is wrong whatever the state is: a
 * peer that knows the rules would not have passed it on. What another cut or a calmer moment may change is looked at
 * again; everything else is passed over.
 */
import type { Reception, TransactionReception } from 'svc-network';
import type { Admission, BlockAdmission } from 'svc-serve/ports';

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

/** What a node that lags behind its peers says about good transactions, and what one says that is busy. */
const LATER_TRANSACTIONS: ReadonlySet<string> = new Set([
  'unknown_input',
  'not_yet_valid',
  'key_not_registered',
  'invalid',
  'no_effect',
  'overloaded',
  'unavailable',
]);

const LATER_BLOCKS: ReadonlySet<string> = new Set([
  'unknown_anchor',
  'block_pool_full',
  'overloaded',
  'unavailable',
]);

const WRONG_BLOCKS: ReadonlySet<string> = new Set([
  ...WRONG_TRANSACTIONS,
  'bad_block',
  'bad_length',
  'wrong_target',
  'bad_parents',
]);

/**
 * `isHeartbeat` is asked about a transaction whose operation has the wrong signature: which key signs heartbeats depends on
 * the state, and a node that lags behind a rotation or lacks a recovery knows another one.
 */
export function transactionReception(
  admission: Admission,
  isHeartbeat: () => boolean = () => false,
): TransactionReception {
  if (admission.type !== 'refused') return { reception: admission.type, id: admission.id };
  if (admission.code === 'bad_operation_signature' && isHeartbeat()) return { reception: 'later' };
  if (WRONG_TRANSACTIONS.has(admission.code)) return { reception: 'reject' };
  return { reception: LATER_TRANSACTIONS.has(admission.code) ? 'later' : 'ignore' };
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
      if (WRONG_BLOCKS.has(admission.code)) return 'reject';
      return LATER_BLOCKS.has(admission.code) ? 'later' : 'ignore';
  }
}
