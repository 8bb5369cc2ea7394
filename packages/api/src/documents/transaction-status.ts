/**
 * The status of a transaction, alone and in a batch.
 */
import { type Static, Type } from 'typebox';
import { ApiVersion, Identifier } from '../base/scalars.ts';
import { CutReference } from './references.ts';

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
