/**
 * Transactions that no finalized cut has executed yet.
 */
import { type Static, Type } from 'typebox';
import { Outpoint } from '../base/references.ts';
import { ADDRESSES_MAX } from '../base/request.ts';
import { finalized, routesOf } from '../base/route.ts';
import {
  Address,
  ApiVersion,
  Atoms,
  Count,
  FinalizedHeight,
  Identifier,
  Millis,
  OutputIndex,
} from '../base/scalars.ts';
import { AddressesRequest } from './address.ts';

export const MempoolDocument = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  transactions: Count,
  bytes: Count,
  mass: Atoms,
  min_fee_per_mass: Atoms,
  max_fee_per_mass: Type.Union([Atoms, Type.Null()]),
  oldest_millis: Type.Union([Millis, Type.Null()]),
});
export type MempoolDocument = Static<typeof MempoolDocument>;

const define = routesOf('mempool');

export const mempool = define({
  name: 'mempool',
  method: 'GET',
  path: '/v1/mempool',
  summary: 'How many transactions wait, and at what fee rates.',
  answer: MempoolDocument,
  weight: { base: 1 },
  caching: 'no_store',
});

export const PendingTransaction = Type.Object({
  transaction_id: Identifier,
  first_seen_millis: Millis,
  fee: Atoms,
  mass: Atoms,
  bytes: Count,
  received: Type.Array(Type.Object({ address: Address, output_index: OutputIndex, amount: Atoms })),
  spent: Type.Array(Type.Object({ address: Address, outpoint: Outpoint, amount: Atoms })),
});
export type PendingTransaction = Static<typeof PendingTransaction>;

export const MempoolPending = finalized({
  transactions: Type.Array(PendingTransaction, {
    description: 'Only outputs of the addresses asked for are listed.',
  }),
  truncated: Type.Boolean({ description: 'More transactions wait than one answer lists.' }),
});
export type MempoolPending = Static<typeof MempoolPending>;

export const mempoolPending = define({
  name: 'mempoolPending',
  method: 'POST',
  path: '/v1/mempool/pending',
  summary: 'Waiting transactions that pay to or spend from up to 64 addresses.',
  body: AddressesRequest,
  answer: MempoolPending,
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 0.1 },
  caching: 'no_store',
  errors: ['bad_address', 'wrong_network', 'too_many_items'],
});
