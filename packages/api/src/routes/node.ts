/**
 * The node that answers: its identity, how far it has synced, its state.
 */
import { type Static, Type } from 'typebox';
import { Network } from '../base/references.ts';
import { routesOf } from '../base/route.ts';
import { ApiVersion, Count, Height, Hex, Identifier } from '../base/scalars.ts';
import { Removal } from './staking.ts';

export const SyncDocument = Type.Object({
  api_version: ApiVersion,
  synced: Type.Boolean(),
  finalized_height: Height,
  best_peer_height: Type.Union([Height, Type.Null()]),
  behind_by: Count,
  peers: Count,
});
export type SyncDocument = Static<typeof SyncDocument>;

export const ValidatorStatusDocument = Type.Object({
  validator_id: Identifier,
  state: Type.String({
    description:
      '`registered`, `jailed`, `lapsed`, `exited` or `removed`; of a live validator what its key does here: `active`, `silent` or `paused` for now, `standby` or `signer_away` with a remote signer, `closing` while the node ends, `stopped` for good.',
  }),
  committee: Type.Boolean(),
  last_signed_height: Type.Union([Height, Type.Null()]),
  removal: Type.Optional(Removal),
});
export type ValidatorStatusDocument = Static<typeof ValidatorStatusDocument>;

/** What a node can lack. Those before `validator_unregistered` are reasons for a load balancer to go elsewhere. */
export const TROUBLES = [
  'update_required',
  'lagging',
  'standing_still',
  'clock_behind',
  'no_peers',
  'disk_low',
  'validator_unregistered',
  'validator_stopped',
  'validator_jailed',
  'validator_lapsed',
  'validator_removed',
  'validator_not_in_committee',
  'validator_not_signing',
  'validator_signer_away',
] as const;
export type TroubleName = (typeof TROUBLES)[number];

export const TroubleDocument = Type.Object({
  name: Type.Enum([...TROUBLES]),
  message: Type.String(),
  refuses_ready: Type.Boolean({ description: 'Whether `GET /ready` refuses because of it.' }),
});
export type TroubleDocument = Static<typeof TroubleDocument>;

export const HistoryDocument = Type.Object({
  cuts_from: Type.Integer({ minimum: 1, description: 'The first cut that is here.' }),
  blocks_from: Type.Integer({
    minimum: 1,
    description: 'The first cut whose blocks are here with all their bytes.',
  }),
  indexed_from: Type.Integer({
    minimum: 1,
    description:
      'The first cut whose outcomes, changes and histories are here. Above 1 on a node that prunes or that began with the state of a cut.',
  }),
  cuts_left: Type.Integer({
    minimum: 0,
    description: 'Earlier cuts that are still fetched from peers, behind everything else.',
  }),
  ids_left: Type.Integer({
    minimum: 0,
    description: 'Ids of earlier cuts that are still fetched from peers.',
  }),
});
export type HistoryDocument = Static<typeof HistoryDocument>;

export const StatusDocument = Type.Object({
  api_version: ApiVersion,
  version: Type.String(),
  network: Network,
  chain_id: Identifier,
  finalized_height: Height,
  synced: Type.Boolean(),
  peers: Type.Object({ inbound: Count, outbound: Count }),
  mempool: Type.Object({ transactions: Count, bytes: Count }),
  work_pool_blocks: Count,
  storage_mode: Type.Union([Type.Literal('archive'), Type.Literal('full'), Type.Literal('pruned')]),
  history: Type.Optional(HistoryDocument),
  uptime_seconds: Count,
  validator: Type.Union([ValidatorStatusDocument, Type.Null()]),
  validator_waits: Type.Optional(
    Type.Boolean({
      description: 'The node has a consensus key that no validator holds yet; it joins by itself.',
    }),
  ),
  troubles: Type.Array(TroubleDocument, {
    description: 'What the node lacks now; empty while it lacks nothing.',
  }),
  update_required: Type.Boolean({
    description: 'The network follows rules that this release does not know; the node has stopped.',
  }),
  update_announced: Type.Boolean({ description: 'A peer runs a newer release.' }),
});
export type StatusDocument = Static<typeof StatusDocument>;

const define = routesOf('node');

export const NodeIdentityDocument = Type.Object({
  api_version: ApiVersion,
  identity: Identifier,
  public_key: Hex,
  algorithm: Type.Literal('ML-DSA-65'),
  envelope_version: Type.Literal(1),
});
export type NodeIdentityDocument = Static<typeof NodeIdentityDocument>;

export const nodeIdentity = define({
  name: 'nodeIdentity',
  method: 'GET',
  path: '/v1/node/identity',
  summary: 'The public key that signs answers; it hashes to the identity that clients pin.',
  answer: NodeIdentityDocument,
  weight: { base: 1 },
  caching: 'revalidate',
});

export const nodeSync = define({
  name: 'nodeSync',
  method: 'GET',
  path: '/v1/node/sync',
  summary: 'Whether the node has caught up with its peers.',
  answer: SyncDocument,
  weight: { base: 1 },
  caching: 'no_store',
});

export const nodeStatus = define({
  name: 'nodeStatus',
  method: 'GET',
  path: '/v1/node/status',
  summary: 'The state of the node.',
  answer: StatusDocument,
  weight: { base: 1 },
  caching: 'no_store',
});
