/**
 * The route table: every HTTP route of a node, by name.
 */
import type { Static, TSchema } from 'typebox';
import type { Route } from './base/route.ts';
import {
  addressBalance,
  addressBalances,
  addressChanges,
  addressHistory,
  addressUtxos,
  addressUtxosBatch,
} from './routes/address.ts';
import { block, blocksRecent } from './routes/blocks.ts';
import { chainHead, chainRates, chainSeries, search } from './routes/chain.ts';
import {
  cut,
  cutCertificate,
  cutChanges,
  cutLeaves,
  cuts,
  cutTransactions,
  cutValidators,
} from './routes/cuts.ts';
import {
  economicsEmission,
  economicsEstimateStaking,
  economicsSupply,
  economicsSupplyCirculating,
  economicsSupplyMax,
  economicsSupplyTotal,
} from './routes/economics.ts';
import { mempool, mempoolPending } from './routes/mempool.ts';
import { nodeIdentity, nodeStatus, nodeSync } from './routes/node.ts';
import {
  addressProof,
  economicsSupplyProof,
  proofsChanges,
  proofsCuts,
  proofsOutcomes,
  proofsUtxos,
} from './routes/proofs.ts';
import {
  asyncapiJson,
  health,
  llmsFullTxt,
  llmsTxt,
  openapiJson,
  ready,
  root,
} from './routes/service.ts';
import { stakingPositions, stakingValidator, stakingValidators } from './routes/staking.ts';
import {
  keysRegistered,
  transaction,
  transactionStatus,
  transactionSubmit,
  transactionsManifest,
  transactionsRecent,
  transactionsStatus,
  transactionsSubmit,
} from './routes/transactions.ts';

export const ROUTES = {
  root,
  health,
  ready,
  addressBalance,
  addressUtxos,
  addressHistory,
  addressBalances,
  addressUtxosBatch,
  addressChanges,
  addressProof,
  cuts,
  cut,
  cutTransactions,
  cutChanges,
  cutLeaves,
  cutCertificate,
  cutValidators,
  transactionsRecent,
  transactionSubmit,
  transactionsSubmit,
  transactionsManifest,
  transactionsStatus,
  transactionStatus,
  transaction,
  blocksRecent,
  block,
  mempool,
  mempoolPending,
  stakingPositions,
  keysRegistered,
  proofsChanges,
  proofsCuts,
  proofsOutcomes,
  proofsUtxos,
  chainHead,
  chainRates,
  chainSeries,
  search,
  nodeIdentity,
  nodeSync,
  nodeStatus,
  economicsSupply,
  economicsSupplyProof,
  economicsSupplyCirculating,
  economicsSupplyTotal,
  economicsSupplyMax,
  economicsEmission,
  economicsEstimateStaking,
  stakingValidators,
  stakingValidator,
  openapiJson,
  asyncapiJson,
  llmsTxt,
  llmsFullTxt,
} as const satisfies Readonly<Record<string, Route>>;

export type RouteName = keyof typeof ROUTES;

/** The table as a list, in the order in which it is shown. */
export const ROUTE_LIST: readonly Route[] = Object.values(ROUTES);

type Part<
  N extends RouteName,
  Key extends 'params' | 'query' | 'body',
> = (typeof ROUTES)[N] extends {
  readonly [K in Key]: infer Schema extends TSchema;
}
  ? Static<Schema>
  : unknown;

/** Path parameters, query and body of a route in one object, without the version of the document. */
export type RouteInput<N extends RouteName> = Part<N, 'params'> &
  Part<N, 'query'> &
  Omit<Part<N, 'body'>, 'api_version'>;

export type RouteAnswer<N extends RouteName> = Static<(typeof ROUTES)[N]['answer']>;
