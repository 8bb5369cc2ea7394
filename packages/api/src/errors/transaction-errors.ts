/**
 * Refusals of a submitted transaction. Those that the protocol module makes keep its codes.
 */
import type { CatalogueEntry } from './catalogue-entry.ts';

function invalid<const M extends string>(meaning: M) {
  return { status: 422, retry: 'never', meaning } as const;
}

const FORM_ERRORS = {
  truncated: invalid('The bytes end before the last field does.'),
  trailing_bytes: invalid('Bytes follow the last field.'),
  not_canonical: invalid('The value is not written in its one allowed encoding.'),
  wrong_chain: invalid('The transaction belongs to another chain.'),
  wrong_protocol_version: invalid('The transaction is bound to another protocol version.'),
  wrong_rules: invalid('The transaction is bound to another rule set.'),
  bad_window: invalid('The validity window ends before it starts or is longer than allowed.'),
  no_inputs: invalid('The transaction spends nothing.'),
  too_many_inputs: invalid('The transaction spends more outputs than the manifest allows.'),
  duplicate_input: invalid('The transaction spends one output twice.'),
  no_outputs: invalid('The transaction has neither an output nor an operation.'),
  too_many_outputs: invalid('The transaction has more outputs than the manifest allows.'),
  zero_amount: invalid('An amount is zero.'),
  amount_too_large: invalid('An amount or a sum of amounts exceeds the maximum supply.'),
  burn_not_allowed: invalid('The burn address cannot own anything: nobody can sign for it.'),
  unknown_operation: invalid('There is no such operation.'),
  bad_commission: invalid('The commission is above 1,000 basis points or not a multiple of 10.'),
  bad_endpoint: invalid('The overlay endpoint is empty or longer than 1,024 bytes.'),
  payload_too_long: invalid('The payload is longer than the manifest allows.'),
  transaction_too_large: invalid('The transaction is larger than the manifest allows.'),
  bad_repeated_inputs: invalid('The body marks inputs as repeated that have none before them.'),
  unknown_profile: invalid('There is no such witness profile.'),
  bad_policy: invalid('The multisig policy is not 2 of 3 or 3 of 5 keys in ascending order.'),
  bad_signers: invalid('The signers are not exactly as many as the threshold asks for.'),
  wrong_witness_count: invalid('There is not one witness for each input and the operation.'),
  possession_missing: invalid('The operation needs a possession signature.'),
  possession_unexpected: invalid('The transaction takes no possession signature.'),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

const RULE_ERRORS = {
  bad_previous_output: invalid('The previous outputs do not fit the inputs.'),
  unspendable_output: invalid('The output lies at the burn address, which no key can spend.'),
  insufficient_inputs: invalid('The inputs are worth less than what the transaction moves.'),
  fee_mismatch: invalid('The inputs do not leave the fee that the body declares.'),
  fee_too_low: {
    ...invalid('The fee is below the minimum fee.'),
    hint: 'Quote the transaction and add the difference.',
  },
  repeated_address: invalid(
    'An input repeats the witness of one that spends from another address.',
  ),
  profile_mismatch: invalid(
    'A witness does not fit the address or the repeated inputs of the body.',
  ),
  key_mismatch: invalid('The public key is not the one the address was made from.'),
  policy_mismatch: invalid('The multisig policy is not the one the address was made from.'),
  key_not_registered: invalid('A witness refers to a public key that the chain does not know.'),
  owner_missing: invalid('The operation needs the address of its owner.'),
  owner_mismatch: invalid('The operation names another owner.'),
  bad_signature: invalid('A signature does not fit the public key and the message.'),
  bad_spend_signature: invalid('A signature does not authorise the spending of an input.'),
  bad_operation_signature: invalid('A signature does not authorise the operation.'),
  bad_possession_signature: invalid('The possession signature is not of the consensus key.'),
  unknown_input: {
    status: 422,
    retry: 'later',
    meaning: 'An input is no finalized unspent output.',
    hint: 'Outputs can be spent once the transaction that makes them is finalized.',
  },
  invalid: invalid('The transaction breaks a rule of the ledger.'),
  no_effect: invalid('The operation of the transaction would have no effect.'),
  expired: invalid('The validity window of the transaction has passed.'),
  not_yet_valid: {
    status: 422,
    retry: 'later',
    meaning: 'The validity window of the transaction has not begun.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export const TRANSACTION_ERRORS = {
  ...FORM_ERRORS,
  ...RULE_ERRORS,
  conflict: {
    status: 409,
    retry: 'never',
    meaning:
      'An input is spent already, finally or by a waiting transaction that this one does not pay enough to replace.',
    hint: 'Ask for the status of the transaction; build another only if this one failed finally.',
  },
  mempool_full: {
    status: 503,
    retry: 'later',
    meaning: 'The mempool is full of transactions with a better fee rate.',
    hint: 'Wait, or pay more for each unit of mass.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
