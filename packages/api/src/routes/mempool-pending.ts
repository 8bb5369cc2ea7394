/**
 * `POST /v1/mempool/pending`: payments that wait, as this node sees them; never part of a balance.
 */
import { type Static, Type } from 'typebox';
import { ADDRESSES_MAX } from '../base/batch-limits.ts';
import { defineRoute } from '../base/route.ts';
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
import { Outpoint } from '../documents/references.ts';
import { AddressesRequest } from './address-balances.ts';

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

export const MempoolPending = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  transactions: Type.Array(PendingTransaction, {
    description: 'Only outputs of the addresses asked for are listed.',
  }),
  truncated: Type.Boolean({ description: 'More transactions wait than one answer lists.' }),
});
export type MempoolPending = Static<typeof MempoolPending>;

export const mempoolPending = defineRoute({
  name: 'mempoolPending',
  method: 'POST',
  path: '/v1/mempool/pending',
  group: 'mempool',
  summary: 'Waiting transactions that pay to or spend from up to 64 addresses.',
  body: AddressesRequest,
  answer: MempoolPending,
  media: 'application/json',
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 0.1 },
  caching: 'no_store',
  extension: false,
  errors: ['bad_address', 'wrong_network', 'too_many_items'],
});
