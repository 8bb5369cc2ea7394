/**
 * `GET /v1/transactions/manifest`: the document that every transaction call of the protocol module takes.
 */
import { type Static, Type } from 'typebox';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Atoms, Identifier } from '../base/scalars.ts';
import { Network } from '../documents/references.ts';

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
export type TransactionsManifest = Static<typeof TransactionsManifest>;

export const transactionsManifest = defineRoute({
  name: 'transactionsManifest',
  method: 'GET',
  path: '/v1/transactions/manifest',
  group: 'transactions',
  summary: 'The rules of transactions: chain, limits, minimum fee.',
  answer: TransactionsManifest,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'revalidate',
  extension: false,
  errors: [],
});
