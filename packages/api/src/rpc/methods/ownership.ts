/**
 * Methods that show who owns an address: the service asks, the owner answers, the service checks.
 */
import { Type } from 'typebox';
import { Network } from '../../base/references.ts';
import { Hex } from '../../base/scalars.ts';
import { ADDRESS, ID } from '../documents.ts';
import { methodsOf } from '../method.ts';
import { Address, Identifier, params } from '../scalars.ts';

const define = methodsOf('ownership');

const Decimal = Type.String({ pattern: '^(0|[1-9][0-9]{0,19})$' });

const CHALLENGE_FIELDS = {
  version: Decimal,
  network: Network,
  chain_id: Identifier,
  address: Address,
  domain: Type.String({ maxLength: 260 }),
  nonce: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  expires_at_millis: Decimal,
};
const PROOF_FIELDS = {
  version: Decimal,
  nonce: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  public_key_hex: Hex,
  signature_hex: Hex,
};

const CHALLENGE_EXAMPLE = {
  version: '1',
  network: 'development',
  chain_id: ID,
  address: ADDRESS,
  domain: 'shop.example',
  nonce: '5c'.repeat(32),
  expires_at_millis: '1794721999052',
} as const;
const PROOF_EXAMPLE = {
  version: '1',
  nonce: '5c'.repeat(32),
  public_key_hex: 'ab',
  signature_hex: 'cd',
} as const;

export const PROOF_SECONDS_MAX = 86_400;

const proofRequest = define({
  name: 'proof_request',
  summary: 'Makes a challenge for the owner of an address.',
  params: params({
    address: Address,
    domain: Type.Optional(
      Type.String({
        maxLength: 260,
        description: 'Who asks, as a host name; `localhost` unless given.',
      }),
    ),
    expires_in_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: PROOF_SECONDS_MAX })),
  }),
  result: Type.Object(CHALLENGE_FIELDS),
  errors: ['invalid_address', 'node_unreachable'],
  example: { params: { address: ADDRESS, domain: 'shop.example' }, result: CHALLENGE_EXAMPLE },
});

const proveAddress = define({
  name: 'prove_address',
  summary: 'Answers a challenge with the key of an address of this wallet.',
  params: params({ request: params(CHALLENGE_FIELDS) }),
  result: Type.Object(PROOF_FIELDS),
  errors: ['unknown_address', 'proof_refused'],
  example: { params: { request: CHALLENGE_EXAMPLE }, result: PROOF_EXAMPLE },
});

const verifyAddressProof = define({
  name: 'verify_address_proof',
  summary: 'Checks the signed answer to a challenge.',
  params: params({ proof: params(PROOF_FIELDS), request: params(CHALLENGE_FIELDS) }),
  result: Type.Object({
    verified: Type.Boolean(),
    address: Address,
    domain: Type.String(),
    reason: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  }),
  errors: [],
  example: {
    params: { proof: PROOF_EXAMPLE, request: CHALLENGE_EXAMPLE },
    result: { verified: true, address: ADDRESS, domain: 'shop.example' },
  },
});

export const OWNERSHIP_METHODS = {
  proof_request: proofRequest,
  prove_address: proveAddress,
  verify_address_proof: verifyAddressProof,
} as const;
