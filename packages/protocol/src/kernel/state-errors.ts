/**
 * Codes and messages of the kernel's errors from 200: trees, proofs, work blocks, cuts.
 */
import type { KernelErrorEntry } from './kernel-error-entry.ts';

export const STATE_ERRORS = {
  KEYS_NOT_ASCENDING: { code: 'bad_proof', message: 'the keys do not ascend' },
  SUM_TOO_LARGE: { code: 'amount_too_large', message: 'a sum exceeds the maximum supply' },
  COUNT_TOO_LARGE: { code: 'bad_proof', message: 'a number of leaves is too large' },
  EMPTY_SUBTREE: { code: 'bad_proof', message: 'a subtree within a tree is empty' },
  BATCH_TOO_LARGE: { code: 'bad_length', message: 'the batch does not fit one call' },
  UNKNOWN_PROOF_VERSION: { code: 'unsupported_version', message: 'expected proof version 1' },
  PATH_TOO_LONG: { code: 'bad_proof', message: 'the path has more than 384 steps' },
  PATH_NOT_FALLING: { code: 'bad_proof', message: 'the bits of the path do not fall' },
  PATH_OFF_KEY: { code: 'bad_proof', message: 'the path leads away from the key' },
  WRONG_STATE_ROOT: { code: 'wrong_state_root', message: 'the proof leads to another state root' },
  WRONG_PROOF_ADDRESS: { code: 'bad_proof', message: 'the proof is about another address' },
  TOO_MANY_PROVEN_OUTPUTS: { code: 'bad_proof', message: 'more than 4,096 outputs' },
  BAD_FOUND_FLAG: { code: 'not_canonical', message: 'expected a flag of 0 or 1' },
  NEIGHBOUR_OF_ADDRESS: { code: 'bad_proof', message: 'the neighbour belongs to the address' },
  PATH_OF_EMPTY_TREE: { code: 'bad_proof', message: 'an empty tree has no path' },

  BAD_HEADER_LENGTH: { code: 'bad_length', message: 'expected a header of 312 bytes' },
  UNKNOWN_HEADER_VERSION: { code: 'unsupported_version', message: 'expected header version 1' },
  WRONG_CHAIN_TAG: { code: 'wrong_chain', message: 'the header belongs to another chain' },
  BAD_WINDOW_END: {
    code: 'bad_block',
    message: 'the window does not end 96 cuts after the anchor',
  },
  RESERVED_NOT_ZERO: { code: 'not_canonical', message: 'the reserved bytes are not zero' },
  TAG_TOO_LONG: { code: 'bad_block', message: 'the miner tag is longer than 20 characters' },
  BAD_TAG_CHARACTER: { code: 'bad_block', message: 'the miner tag has a character not allowed' },
  BAD_TAG_PADDING: { code: 'not_canonical', message: 'the miner tag is not padded with zeros' },
  BLOCK_BODY_TOO_LARGE: { code: 'bad_block', message: 'the body is larger than 64,000 bytes' },
  NO_PARENTS: { code: 'bad_block', message: 'expected at least one parent' },
  TOO_MANY_PARENTS: { code: 'bad_block', message: 'more than 8 parents' },
  DUPLICATE_PARENT: { code: 'bad_block', message: 'a parent occurs twice' },
  TOO_MANY_TRANSACTIONS: { code: 'bad_block', message: 'more than 1,024 transactions' },
  DUPLICATE_TRANSACTION: { code: 'bad_block', message: 'a transaction occurs twice' },
  DUPLICATE_SPEND: { code: 'bad_block', message: 'an output is spent twice' },

  BAD_CUT_HEADER_LENGTH: { code: 'bad_length', message: 'expected a header of 558 bytes' },
  UNKNOWN_CUT_VERSION: {
    code: 'unsupported_version',
    message: 'expected header version 1',
    field: 'version',
  },
  BAD_CUT_PROPOSER: {
    code: 'out_of_range',
    message: 'expected a proposer of at most 63',
    field: 'proposer',
  },
  TOO_MANY_REGISTERED_BLOCKS: {
    code: 'out_of_range',
    message: 'expected at most 256 registered blocks',
    field: 'registeredCount',
  },
  TOO_MANY_REGISTERED_BYTES: {
    code: 'out_of_range',
    message: 'expected at most 64,000 bytes for each registered block',
    field: 'registeredBytes',
  },
  WRONG_CUT_CHAIN: {
    code: 'wrong_chain',
    message: 'the header belongs to another chain',
    field: 'chainId',
  },
  WRONG_CUT_SET: {
    code: 'wrong_validator_set',
    message: 'the header names another validator set',
    field: 'validatorSetId',
  },
  NO_VALIDATORS: { code: 'out_of_range', message: 'expected 1 to 64 validators, found none' },
  TOO_MANY_VALIDATORS: { code: 'out_of_range', message: 'expected 1 to 64 validators, found more' },
  MEMBERS_OUT_OF_ORDER: {
    code: 'not_canonical',
    message: 'ids must be strictly ascending',
    field: '[].id',
  },
  ZERO_STAKE: { code: 'out_of_range', message: 'expected a stake above zero', field: '[].stake' },
  STAKES_TOO_LARGE: {
    code: 'out_of_range',
    message: 'the stakes exceed the supply',
    field: '[].stake',
  },
  ROUND_TOO_LARGE: {
    code: 'out_of_range',
    message: 'expected a round of at most 2,147,483,647',
    field: 'round',
  },
  BAD_VALID_ROUND: {
    code: 'bad_cut',
    message: 'expected a valid round of at least -1 and below the round',
    field: 'validRound',
  },
  NO_SIGNERS: { code: 'bad_cut', message: 'expected at least one signer', field: 'signers' },
  WRONG_CERTIFIED_CUT: {
    code: 'wrong_cut',
    message: 'the certificate is about another cut than the header',
    field: 'cutId',
  },
  WRONG_CERTIFIED_SET: {
    code: 'wrong_validator_set',
    message: 'the certificate names another validator set',
    field: 'validatorSetId',
  },
  SIGNERS_OUTSIDE_SET: {
    code: 'bad_cut',
    message: 'a bit lies outside the validator set',
    field: 'signers',
  },
  TOO_LITTLE_STAKE: {
    code: 'insufficient_stake',
    message: 'expected signers with more than two thirds of the stake',
    field: 'signers',
  },
  BAD_VOTE_SIGNATURE: {
    code: 'bad_signature',
    message: 'not the signature of the validator whose bit is set',
    field: 'signatures[]',
  },
} as const satisfies Readonly<Record<string, KernelErrorEntry>>;
