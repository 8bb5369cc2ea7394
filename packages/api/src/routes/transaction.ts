/**
 * `GET /v1/transactions/{id}`: the transaction itself, from the mempool or the block that carries it.
 */
import { type Static, Type } from 'typebox';
import { IdParams } from '../base/params.ts';
import { defineRoute } from '../base/route.ts';
import {
  Address,
  ApiVersion,
  Atoms,
  FinalizedHeight,
  Hex,
  Identifier,
  OutputIndex,
} from '../base/scalars.ts';
import { Outpoint, OutputSource } from '../documents/references.ts';
import { TransactionStatusEntry } from '../documents/transaction-status.ts';

export const Transaction = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
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

export const transaction = defineRoute({
  name: 'transaction',
  method: 'GET',
  path: '/v1/transactions/{id}',
  group: 'transactions',
  summary: 'A transaction with its inputs, outputs and bytes.',
  params: IdParams,
  answer: Transaction,
  media: 'application/json',
  weight: { base: 4 },
  caching: 'no_store',
  extension: true,
  errors: ['not_found', 'not_kept'],
});
