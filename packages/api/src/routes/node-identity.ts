/**
 * `GET /v1/node/identity`.
 */
import { type Static, Type } from 'typebox';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Hex, Identifier } from '../base/scalars.ts';

export const NodeIdentityDocument = Type.Object({
  api_version: ApiVersion,
  identity: Identifier,
  public_key: Hex,
  algorithm: Type.Literal('ML-DSA-65'),
  envelope_version: Type.Literal(1),
});
export type NodeIdentityDocument = Static<typeof NodeIdentityDocument>;

export const nodeIdentity = defineRoute({
  name: 'nodeIdentity',
  method: 'GET',
  path: '/v1/node/identity',
  group: 'node',
  summary: 'The public key that signs answers; it hashes to the identity that clients pin.',
  answer: NodeIdentityDocument,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'revalidate',
  extension: false,
  errors: [],
});
