/**
 * Proofs that lead to the state root or another root of a certified cut.
 */
import { type Static, Type } from 'typebox';
import { CutReference, Outpoint, OutpointRequest } from '../base/references.ts';
import {
  ADDRESSES_MAX,
  AddressParams,
  batchOf,
  CUT_PROOFS_MAX,
  OUTCOME_PROOFS_MAX,
  PROOFS_MAX,
  versioned,
} from '../base/request.ts';
import { finalized, routesOf } from '../base/route.ts';
import { Address, ApiVersion, FinalizedHeight, Height, Hex, Identifier } from '../base/scalars.ts';

const define = routesOf('proofs');

export const AddressProof = Type.Object({
  api_version: ApiVersion,
  address: Address,
  finalized_height: FinalizedHeight,
  cut: CutReference,
  header_hex: Hex,
  proof_hex: Hex,
});

export const addressProof = define({
  name: 'addressProof',
  method: 'GET',
  path: '/v1/address/{address}/proof',
  summary: 'Proof that the outputs of an address are complete, against the state root of the head.',
  params: AddressParams,
  answer: AddressProof,
  weight: { base: 20 },
  caching: 'revalidate',
  extension: true,
  errors: ['bad_address', 'wrong_network', 'too_many_items', 'overloaded'],
});

export const ProofsChangesRequest = versioned({
  height: Height,
  addresses: batchOf(Address, ADDRESSES_MAX),
});

export const ProofsChanges = finalized({
  height: Height,
  cut_id: Identifier,
  proof_hex: Hex,
});

export const proofsChanges = define({
  name: 'proofsChanges',
  method: 'POST',
  path: '/v1/proofs/changes',
  summary:
    'The proof of all that a cut changed for up to 64 addresses, also that it changed nothing, from the changes root of its header.',
  body: ProofsChangesRequest,
  answer: ProofsChanges,
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 2, perItem: 0.2 },
  caching: 'no_store',
  extension: true,
  errors: ['bad_address', 'wrong_network', 'too_many_items', 'not_yet', 'not_kept', 'not_found'],
});

export const ProofsCutsRequest = versioned({
  height: Type.Optional(Height),
  heights: batchOf(Height, CUT_PROOFS_MAX),
  ids_only: Type.Optional(
    Type.Boolean({
      description: 'Answer without headers, which a node that began with a state may lack.',
    }),
  ),
});

export const ProofsCuts = finalized({
  height: Height,
  cuts: Type.Array(
    Type.Object({ height: Height, cut_id: Identifier, header_hex: Type.Optional(Hex) }),
    { description: 'The earlier cuts, each once, heights ascending.' },
  ),
  proof_hex: Hex,
});

export const proofsCuts = define({
  name: 'proofsCuts',
  method: 'POST',
  path: '/v1/proofs/cuts',
  summary:
    'Headers of up to 64 cuts before the one of a height, the head unless given, and the proof that leads to them from the history root of its header.',
  body: ProofsCutsRequest,
  answer: ProofsCuts,
  batch: { field: 'heights', maximum: CUT_PROOFS_MAX },
  weight: { base: 2, perItem: 0.2 },
  caching: 'no_store',
  extension: true,
  errors: ['too_many_items', 'not_yet', 'not_kept', 'not_found'],
});

export const ProofsOutcomesRequest = versioned({
  height: Height,
  transaction_ids: batchOf(Identifier, OUTCOME_PROOFS_MAX),
});

export const ProofsOutcomes = finalized({
  height: Height,
  cut_id: Identifier,
  proof_hex: Hex,
});

export const proofsOutcomes = define({
  name: 'proofsOutcomes',
  method: 'POST',
  path: '/v1/proofs/outcomes',
  summary:
    'The proof of what became of up to 64 transactions in a cut, with their payers and notes, from the outcome root of its header.',
  body: ProofsOutcomesRequest,
  answer: ProofsOutcomes,
  batch: { field: 'transaction_ids', maximum: OUTCOME_PROOFS_MAX },
  weight: { base: 2, perItem: 0.2 },
  caching: 'no_store',
  extension: true,
  errors: ['too_many_items', 'not_yet', 'not_kept', 'not_found'],
});

export const ProofsUtxosRequest = versioned({ outpoints: batchOf(OutpointRequest, PROOFS_MAX) });

export const ProofsUtxos = finalized({
  cut: CutReference,
  header_hex: Hex,
  proofs: Type.Array(
    Type.Object({
      outpoint: Outpoint,
      included: Type.Boolean(),
      proof_hex: Type.Union([Hex, Type.Null()], {
        description: 'Leads from the output to the state root; null if it is not unspent.',
      }),
    }),
    { description: 'In the order of the request.' },
  ),
});
export type ProofsUtxos = Static<typeof ProofsUtxos>;

export const proofsUtxos = define({
  name: 'proofsUtxos',
  method: 'POST',
  path: '/v1/proofs/utxos',
  summary: 'Proofs that up to 8 outputs are unspent at the finalized head.',
  body: ProofsUtxosRequest,
  answer: ProofsUtxos,
  batch: { field: 'outpoints', maximum: PROOFS_MAX },
  weight: { base: 2, perItem: 1 },
  caching: 'no_store',
  errors: ['too_many_items', 'overloaded'],
});

export const SupplyProof = finalized({
  cut: CutReference,
  header_hex: Hex,
  proof_hex: Hex,
});

export const economicsSupplyProof = define({
  name: 'economicsSupplyProof',
  method: 'GET',
  path: '/v1/economics/supply/proof',
  summary: 'Proof of what was minted and where it is, against the state root of the head.',
  answer: SupplyProof,
  weight: { base: 10 },
  caching: 'revalidate',
  extension: true,
  errors: ['overloaded'],
});
