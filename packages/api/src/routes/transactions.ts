/**
 * Transactions: submitting them and following them, what became of them, and what signing them needs.
 */
import { type Static, Type } from 'typebox';
import { CutReference, Network, Outpoint, OutputSource } from '../base/references.ts';
import {
  ADDRESSES_MAX,
  batchOf,
  IdParams,
  Limit,
  STATUSES_MAX,
  SUBMISSIONS_MAX,
  strict,
  versioned,
} from '../base/request.ts';
import { finalized, routesOf } from '../base/route.ts';
import {
  Address,
  ApiVersion,
  Atoms,
  Height,
  Hex,
  Identifier,
  OutputIndex,
} from '../base/scalars.ts';
import { ErrorDocument } from '../errors.ts';
import { AddressesRequest } from './address.ts';

export const OutcomeKind = Type.Union([
  Type.Literal('finalized'),
  Type.Literal('skipped'),
  Type.Literal('expired'),
  Type.Literal('not_yet_valid'),
  Type.Literal('conflict'),
  Type.Literal('unknown_input'),
  Type.Literal('invalid'),
  Type.Literal('no_effect'),
]);

const OUTCOME_FIELDS = {
  transaction_id: Identifier,
  block_id: Identifier,
  outcome: OutcomeKind,
  reason: Type.Optional(Type.String({ description: 'Why it is invalid or has no effect.' })),
  fee: Atoms,
};

export const CutTransaction = Type.Object({
  ...OUTCOME_FIELDS,
  note_hash: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{96}$',
      description: 'Hash of the payload of an executed transaction that has one.',
    }),
  ),
  payers: Type.Array(Address, {
    description:
      'The addresses whose outputs an executed transaction has spent, ascending by their bytes. With the other fields but block and reason they are the leaf of the outcome root.',
  }),
});
export type CutTransaction = Static<typeof CutTransaction>;

export const RecentTransaction = Type.Object({ finalized_height: Height, ...OUTCOME_FIELDS });
export type RecentTransaction = Static<typeof RecentTransaction>;

export const Lifecycle = Type.Union([
  Type.Literal('processing'),
  Type.Literal('receiving'),
  Type.Literal('registered'),
  Type.Literal('finalized'),
  Type.Literal('failed'),
]);

export const Failure = Type.Union([
  Type.Literal('conflict'),
  Type.Literal('invalid'),
  Type.Literal('expired'),
  Type.Literal('dropped'),
  Type.Literal('no_effect'),
]);

const STATUS_FIELDS = {
  transaction_id: Identifier,
  lifecycle: Lifecycle,
  observed_work: Type.Union([Type.Object({ block_id: Identifier }), Type.Null()]),
  registered_cut: Type.Union([CutReference, Type.Null()]),
  finalized_cut: Type.Union([CutReference, Type.Null()]),
  failure: Type.Union([Failure, Type.Null()]),
};

/** The status of a transaction as an entry of a batch. */
export const TransactionStatusEntry = Type.Object(STATUS_FIELDS);
export type TransactionStatusEntry = Static<typeof TransactionStatusEntry>;

export const TransactionStatus = Type.Object({ api_version: ApiVersion, ...STATUS_FIELDS });
export type TransactionStatus = Static<typeof TransactionStatus>;

const define = routesOf('transactions');

export const TransactionsRecent = finalized({
  transactions: Type.Array(RecentTransaction, { description: 'Newest first.' }),
});
export type TransactionsRecent = Static<typeof TransactionsRecent>;

const TRANSACTIONS_RECENT_PAGE = { default: 50, maximum: 500 } as const;

export const transactionsRecent = define({
  name: 'transactionsRecent',
  method: 'GET',
  path: '/v1/transactions/recent',
  summary: 'Transactions executed last, newest first.',
  query: strict({ limit: Limit(TRANSACTIONS_RECENT_PAGE) }),
  answer: TransactionsRecent,
  page: TRANSACTIONS_RECENT_PAGE,
  weight: { base: 1, perItem: 0.05 },
  caching: 'revalidate',
});

export const WireHex = Type.String({
  minLength: 2,
  pattern: '^[0-9a-f]*$',
  description: 'The signed transaction in wire encoding, hexadecimal.',
});

export const TransactionSubmission = versioned({ wire_hex: WireHex });

export const TransactionReceipt = Type.Object({
  api_version: ApiVersion,
  transaction_id: Identifier,
  result: Type.Union([Type.Literal('accepted'), Type.Literal('known')]),
});
export type TransactionReceipt = Static<typeof TransactionReceipt>;

export const transactionSubmit = define({
  name: 'transactionSubmit',
  method: 'POST',
  path: '/v1/transactions',
  summary:
    'Submits a signed transaction. After a lost answer ask for its status instead of repeating.',
  body: TransactionSubmission,
  answer: TransactionReceipt,
  weight: { base: 5 },
  caching: 'no_store',
  errors: ['conflict', 'unknown_input', 'fee_too_low', 'expired', 'mempool_full', 'not_synced'],
});

export const TransactionsSubmission = versioned({ wires_hex: batchOf(WireHex, SUBMISSIONS_MAX) });

const SubmissionRefusal = Type.Object({
  status: Type.Integer({ description: 'The status that the transaction would get alone.' }),
  error: ErrorDocument.properties.error,
  retry_after_millis: ErrorDocument.properties.retry_after_millis,
});

export const SubmissionReceipt = Type.Object({
  transaction_id: Type.Union([Identifier, Type.Null()], {
    description: 'Null for a transaction that was refused.',
  }),
  result: Type.Union([Type.Literal('accepted'), Type.Literal('known'), Type.Literal('refused')]),
  refusal: Type.Union([SubmissionRefusal, Type.Null()], {
    description: 'Why the transaction was refused; the others are not touched by it.',
  }),
});
export type SubmissionReceipt = Static<typeof SubmissionReceipt>;

export const TransactionReceipts = Type.Object({
  api_version: ApiVersion,
  receipts: Type.Array(SubmissionReceipt, { description: 'In the order of the request.' }),
});

export const transactionsSubmit = define({
  name: 'transactionsSubmit',
  method: 'POST',
  path: '/v1/transactions/batch',
  summary:
    'Submits up to 8 signed transactions, each as if it came alone. After a lost answer ask for their statuses instead of repeating.',
  body: TransactionsSubmission,
  bytes: {
    media: 'application/vnd.svc.transactions',
    description:
      'The signed transactions in wire encoding, one after the other, each with its length as a varint before it.',
  },
  answer: TransactionReceipts,
  batch: { field: 'wires_hex', maximum: SUBMISSIONS_MAX },
  weight: { base: 1, perItem: 4.5 },
  caching: 'no_store',
  extension: true,
  errors: ['not_synced', 'too_many_items'],
});

export const TransactionsManifest = Type.Object({
  api_version: ApiVersion,
  network: Network,
  chain_id: Identifier,
  protocol_version: Atoms,
  rules_id: Identifier,
  max_transaction_bytes: Atoms,
  max_inputs: Atoms,
  max_outputs: Atoms,
  max_payload_bytes: Atoms,
  max_validity_cuts: Atoms,
  mass_per_signature: Atoms,
  mass_per_output: Atoms,
  min_fee_per_mass: Atoms,
});

export const transactionsManifest = define({
  name: 'transactionsManifest',
  method: 'GET',
  path: '/v1/transactions/manifest',
  summary: 'The rules of transactions: chain, limits, minimum fee.',
  answer: TransactionsManifest,
  weight: { base: 1 },
  caching: 'revalidate',
});

export const TransactionsStatusRequest = versioned({
  transaction_ids: batchOf(Identifier, STATUSES_MAX),
});

export const TransactionsStatus = finalized({
  statuses: Type.Array(TransactionStatusEntry, {
    description: 'In the order of the request; what is not known is left out.',
  }),
});

export const transactionsStatus = define({
  name: 'transactionsStatus',
  method: 'POST',
  path: '/v1/transactions/status',
  summary: 'Statuses of up to 1,024 transactions, all at one height.',
  body: TransactionsStatusRequest,
  answer: TransactionsStatus,
  batch: { field: 'transaction_ids', maximum: STATUSES_MAX },
  weight: { base: 1, perItem: 0.1 },
  caching: 'no_store',
  errors: ['too_many_items'],
});

export const transactionStatus = define({
  name: 'transactionStatus',
  method: 'GET',
  path: '/v1/transactions/{id}/status',
  summary: 'How far a transaction is.',
  params: IdParams,
  answer: TransactionStatus,
  weight: { base: 1 },
  caching: 'no_store',
  errors: ['not_found'],
});

export const Transaction = finalized({
  transaction_id: Identifier,
  status: TransactionStatusEntry,
  wire_hex: Hex,
  valid_from_height: Atoms,
  valid_until_height: Atoms,
  mass: Atoms,
  fee: Type.Union([Atoms, Type.Null()], { description: 'Null where the inputs are not known.' }),
  inputs: Type.Array(
    Type.Object({
      outpoint: Outpoint,
      address: Type.Optional(Address),
      amount: Type.Optional(Atoms),
      source: Type.Optional(OutputSource),
    }),
  ),
  outputs: Type.Array(Type.Object({ output_index: OutputIndex, address: Address, amount: Atoms })),
  payload_hex: Hex,
  operation: Type.Union([
    Type.Object({ type: Type.String(), data: Type.Record(Type.String(), Type.String()) }),
    Type.Null(),
  ]),
});
export type Transaction = Static<typeof Transaction>;

export const transaction = define({
  name: 'transaction',
  method: 'GET',
  path: '/v1/transactions/{id}',
  summary: 'A transaction with its inputs, outputs and bytes.',
  params: IdParams,
  answer: Transaction,
  weight: { base: 4 },
  caching: 'no_store',
  extension: true,
  errors: ['not_found', 'not_kept'],
});

export const KeysRegistered = finalized({
  keys: Type.Array(
    Type.Object({
      address: Address,
      registered: Type.Boolean(),
      public_key: Type.Union([Hex, Type.Null()]),
      registered_height: Type.Union([Height, Type.Null()], {
        description:
          'Height of the cut that registered the key. Null where it is not registered, and where the node began with a snapshot that had it.',
      }),
    }),
    { description: 'In the order of the request.' },
  ),
});
export type KeysRegistered = Static<typeof KeysRegistered>;

export const keysRegistered = define({
  name: 'keysRegistered',
  method: 'POST',
  path: '/v1/keys/registered',
  summary: 'Which of up to 64 addresses have their public key in the registry.',
  body: AddressesRequest,
  answer: KeysRegistered,
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 0.1 },
  caching: 'no_store',
  errors: ['bad_address', 'wrong_network', 'too_many_items'],
});
