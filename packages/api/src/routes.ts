/**
 * The route table: every HTTP route of a node, by name.
 */
import type { Static, TSchema } from 'typebox';
import type { Route } from './base/route.ts';
import { addressBalance } from './routes/address-balance.ts';
import { addressBalances } from './routes/address-balances.ts';
import { addressChanges } from './routes/address-changes.ts';
import { addressHistory } from './routes/address-history.ts';
import { addressProof } from './routes/address-proof.ts';
import { addressUtxos } from './routes/address-utxos.ts';
import { addressUtxosBatch } from './routes/address-utxos-batch.ts';
import { block } from './routes/block.ts';
import { blocksRecent } from './routes/blocks-recent.ts';
import { chainHead } from './routes/chain-head.ts';
import { chainRates } from './routes/chain-rates.ts';
import { chainSeries } from './routes/chain-series.ts';
import { cut } from './routes/cut.ts';
import { cutCertificate } from './routes/cut-certificate.ts';
import { cutChanges } from './routes/cut-changes.ts';
import { cutLeaves } from './routes/cut-leaves.ts';
import { cutTransactions } from './routes/cut-transactions.ts';
import { cutValidators } from './routes/cut-validators.ts';
import { cuts } from './routes/cuts.ts';
import { asyncapiJson, llmsFullTxt, llmsTxt, openapiJson } from './routes/descriptions.ts';
import { economicsEmission } from './routes/economics-emission.ts';
import { economicsEstimateStaking } from './routes/economics-estimate-staking.ts';
import { economicsSupply } from './routes/economics-supply.ts';
import { economicsSupplyProof } from './routes/economics-supply-proof.ts';
import {
  economicsSupplyCirculating,
  economicsSupplyMax,
  economicsSupplyTotal,
} from './routes/economics-supply-text.ts';
import { health } from './routes/health.ts';
import { keysRegistered } from './routes/keys-registered.ts';
import { mempool } from './routes/mempool.ts';
import { mempoolPending } from './routes/mempool-pending.ts';
import { nodeIdentity } from './routes/node-identity.ts';
import { nodeStatus } from './routes/node-status.ts';
import { nodeSync } from './routes/node-sync.ts';
import { proofsChanges } from './routes/proofs-changes.ts';
import { proofsCuts } from './routes/proofs-cuts.ts';
import { proofsOutcomes } from './routes/proofs-outcomes.ts';
import { proofsUtxos } from './routes/proofs-utxos.ts';
import { ready } from './routes/ready.ts';
import { root } from './routes/root.ts';
import { search } from './routes/search.ts';
import { stakingPositions } from './routes/staking-positions.ts';
import { stakingValidator } from './routes/staking-validator.ts';
import { stakingValidators } from './routes/staking-validators.ts';
import { transaction } from './routes/transaction.ts';
import { transactionStatus } from './routes/transaction-status.ts';
import { transactionSubmit } from './routes/transaction-submit.ts';
import { transactionsManifest } from './routes/transactions-manifest.ts';
import { transactionsRecent } from './routes/transactions-recent.ts';
import { transactionsStatus } from './routes/transactions-status.ts';
import { transactionsSubmit } from './routes/transactions-submit.ts';

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
