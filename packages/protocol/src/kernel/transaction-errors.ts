/**
 * Codes and messages of the kernel's errors 1 to 99: the codec and transactions.
 */
import type { KernelErrorEntry } from './kernel-error-entry.ts';

export const TRANSACTION_ERRORS = {
  TRUNCATED: { code: 'truncated', message: 'the bytes end before the last field does' },
  PADDED_VARINT: { code: 'not_canonical', message: 'a varint is longer than it has to be' },
  VARINT_TOO_LARGE: { code: 'not_canonical', message: 'a varint does not fit 32 bits' },
  TRAILING_BYTES: { code: 'trailing_bytes', message: 'bytes follow the last field' },

  UNKNOWN_FORMAT: { code: 'unsupported_version', message: 'expected a known format' },
  WRONG_CHAIN: { code: 'wrong_chain', message: "the body is not bound to the manifest's chain" },
  WRONG_PROTOCOL_VERSION: {
    code: 'wrong_protocol_version',
    message: "the body is not bound to the manifest's protocol version",
  },
  WRONG_RULES: { code: 'wrong_rules', message: "the body is not bound to the manifest's rules" },
  WINDOW_REVERSED: { code: 'bad_window', message: 'the validity window ends before it starts' },
  WINDOW_TOO_LONG: {
    code: 'bad_window',
    message: 'the validity window ends more than `max_validity_cuts` after it starts',
  },
  NO_INPUTS: { code: 'no_inputs', message: 'expected at least one input' },
  TOO_MANY_INPUTS: { code: 'too_many_inputs', message: 'more inputs than the manifest allows' },
  DUPLICATE_INPUT: {
    code: 'duplicate_input',
    message: 'an earlier input spends the same output',
    list: 'inputs',
  },
  NO_OUTPUTS: { code: 'no_outputs', message: 'expected an output or an operation' },
  TOO_MANY_OUTPUTS: { code: 'too_many_outputs', message: 'more outputs than the manifest allows' },
  ZERO_AMOUNT: { code: 'zero_amount', message: 'expected an amount above zero', list: 'outputs' },
  AMOUNT_TOO_LARGE: {
    code: 'amount_too_large',
    message: 'the amount exceeds the maximum supply',
    list: 'outputs',
  },
  OUTPUTS_TOO_LARGE: {
    code: 'amount_too_large',
    message: 'what the transaction moves exceeds the maximum supply',
    list: 'outputs',
  },
  UNKNOWN_ADDRESS_TYPE: {
    code: 'bad_address',
    message: 'expected an address of type 0, 1 or 2',
    list: 'outputs',
  },
  BAD_BURN_ADDRESS: {
    code: 'bad_address',
    message: 'the burn address has one value only',
    list: 'outputs',
  },
  BURN_NOT_ALLOWED: {
    code: 'burn_not_allowed',
    message: 'the burn address cannot own anything or take rewards',
  },
  UNKNOWN_OPERATION: { code: 'unknown_operation', message: 'expected an operation from 0 to 10' },
  COMMISSION_TOO_HIGH: {
    code: 'bad_commission',
    message: 'the commission exceeds 1,000 basis points',
  },
  COMMISSION_STEP: { code: 'bad_commission', message: 'the commission is not a multiple of 10' },
  BAD_ENDPOINT_LENGTH: {
    code: 'bad_endpoint',
    message: 'expected an overlay endpoint of 1 to 1,024 bytes',
  },
  PAYLOAD_TOO_LONG: {
    code: 'payload_too_long',
    message: 'the payload is longer than the manifest allows',
  },
  TRANSACTION_TOO_LARGE: {
    code: 'transaction_too_large',
    message: 'the transaction is larger than the manifest allows',
  },
  DECLARED_FEE_TOO_LARGE: {
    code: 'amount_too_large',
    message: 'what the transaction moves and the fee it declares exceed the maximum supply',
  },

  BAD_REPEATED_INPUTS: {
    code: 'bad_repeated_inputs',
    message: 'the first input repeats no other, and there is no input behind the last',
  },

  UNKNOWN_PROFILE: {
    code: 'unknown_profile',
    message: 'expected a witness profile from 0 to 4',
    list: 'witnesses',
  },
  BAD_POLICY: {
    code: 'bad_policy',
    message: 'the policy is neither 2 of 3 nor 3 of 5',
    list: 'witnesses',
  },
  MEMBERS_NOT_ASCENDING: {
    code: 'bad_policy',
    message: 'the key hashes of the members do not ascend',
    list: 'witnesses',
  },
  BAD_SIGNERS: {
    code: 'bad_signers',
    message: 'the signers are not exactly as many members as the threshold',
    list: 'witnesses',
  },

  REPEATED_MISMATCH: {
    code: 'profile_mismatch',
    message: 'expected a repeated witness for exactly the inputs that the body marks as repeated',
    list: 'witnesses',
  },

  UNSPENDABLE_OUTPUT: {
    code: 'unspendable_output',
    message: 'the output is at the burn address',
    list: 'inputs',
  },
  BAD_PREVIOUS_OUTPUT: {
    code: 'bad_previous_output',
    message: 'the previous output has no valid address and amount',
    list: 'inputs',
  },
  INPUTS_TOO_LARGE: {
    code: 'amount_too_large',
    message: 'the inputs together exceed the maximum supply',
    list: 'inputs',
  },
  INSUFFICIENT_INPUTS: {
    code: 'insufficient_inputs',
    message: 'the inputs are worth less than what the transaction moves',
  },
  FEE_MISMATCH: {
    code: 'fee_mismatch',
    message: 'the inputs do not leave the fee that the body declares',
  },
  FEE_TOO_LOW: { code: 'fee_too_low', message: 'the fee is below the minimum fee' },
  REPEATED_ADDRESS: {
    code: 'repeated_address',
    message: 'the input repeats the witness of the one before, which spends from another address',
    list: 'inputs',
  },
  PROFILE_MISMATCH: {
    code: 'profile_mismatch',
    message: 'the witness does not fit the type of the address',
    list: 'witnesses',
  },
  KEY_MISMATCH: {
    code: 'key_mismatch',
    message: 'the public key is not the one the address was made from',
    list: 'witnesses',
  },
  POLICY_MISMATCH: {
    code: 'policy_mismatch',
    message: 'the policy is not the one the address was made from',
    list: 'witnesses',
  },
  KEY_NOT_REGISTERED: {
    code: 'key_not_registered',
    message: 'the key that the witness refers to is not among the registered keys',
    list: 'witnesses',
  },
  OWNER_MISSING: {
    code: 'owner_missing',
    message: 'the operation does not name its owner, so the owner address is needed',
  },
  OWNER_UNEXPECTED: {
    code: 'owner_unexpected',
    message: 'the transaction has no operation that an owner could sign',
  },
  OWNER_MISMATCH: { code: 'owner_mismatch', message: 'the operation names another owner' },
  BAD_SPEND_SIGNATURE: {
    code: 'bad_spend_signature',
    message: 'the signature does not authorise the spending of this input',
    list: 'witnesses',
  },
  BAD_OPERATION_SIGNATURE: {
    code: 'bad_operation_signature',
    message: 'the signature does not authorise the operation',
    list: 'witnesses',
  },
  BAD_POSSESSION_SIGNATURE: {
    code: 'bad_possession_signature',
    message: 'the possession signature was not made with the consensus key',
  },
  PREVIOUS_OUTPUT_COUNT: {
    code: 'bad_previous_output',
    message: 'expected one previous output for each input',
  },
  TOO_MANY_KEYS: { code: 'bad_length', message: 'expected at most 27 registered keys' },
} as const satisfies Readonly<Record<string, KernelErrorEntry>>;
