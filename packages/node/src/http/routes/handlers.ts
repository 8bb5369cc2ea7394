/**
 * The handler of every route of the table.
 */
import type { ROUTES, RouteName } from 'svc-api';
import { addressBalance } from './address-balance.ts';
import { addressBalances } from './address-balances.ts';
import { addressChanges } from './address-changes.ts';
import { addressHistory } from './address-history.ts';
import { addressProof } from './address-proof.ts';
import { addressUtxos } from './address-utxos.ts';
import { addressUtxosBatch } from './address-utxos-batch.ts';
import { block } from './block.ts';
import { blocksRecent } from './blocks-recent.ts';
import { chainHead } from './chain-head.ts';
import { chainRates } from './chain-rates.ts';
import { chainSeries } from './chain-series.ts';
import { cut } from './cut.ts';
import { cutCertificate } from './cut-certificate.ts';
import { cutChanges } from './cut-changes.ts';
import { cutLeaves } from './cut-leaves.ts';
import { cutTransactions } from './cut-transactions.ts';
import { cutValidators } from './cut-validators.ts';
import { cuts } from './cuts.ts';
import { asyncapiJson, llmsFullTxt, llmsTxt, openapiJson } from './descriptions.ts';
import { economicsEmission } from './economics-emission.ts';
import { economicsEstimateStaking } from './economics-estimate-staking.ts';
import {
  economicsSupply,
  economicsSupplyCirculating,
  economicsSupplyMax,
  economicsSupplyTotal,
} from './economics-supply.ts';
import { economicsSupplyProof } from './economics-supply-proof.ts';
import type { Handler } from './handler.ts';
import { health } from './health.ts';
import { keysRegistered } from './keys-registered.ts';
import { mempool } from './mempool.ts';
import { mempoolPending } from './mempool-pending.ts';
import { nodeIdentity } from './node-identity.ts';
import { nodeStatus } from './node-status.ts';
import { nodeSync } from './node-sync.ts';
import { proofsChanges } from './proofs-changes.ts';
import { proofsCuts } from './proofs-cuts.ts';
import { proofsOutcomes } from './proofs-outcomes.ts';
import { proofsUtxos } from './proofs-utxos.ts';
import { ready } from './ready.ts';
import { root } from './root.ts';
import { search } from './search.ts';
import { stakingPositions } from './staking-positions.ts';
import { stakingValidator } from './staking-validator.ts';
import { stakingValidators } from './staking-validators.ts';
import { transaction } from './transaction.ts';
import { transactionStatus } from './transaction-status.ts';
import { transactionSubmit } from './transaction-submit.ts';
import { transactionsManifest } from './transactions-manifest.ts';
import { transactionsRecent } from './transactions-recent.ts';
import { transactionsStatus } from './transactions-status.ts';
import { transactionsSubmit } from './transactions-submit.ts';

export const HANDLERS: { readonly [Name in RouteName]: Handler<(typeof ROUTES)[Name]> } = {
  addressBalance,
  addressBalances,
  addressChanges,
  addressHistory,
  addressProof,
  addressUtxosBatch,
  addressUtxos,
  block,
  blocksRecent,
  chainHead,
  chainRates,
  chainSeries,
  cutCertificate,
  cutChanges,
  cutLeaves,
  cutTransactions,
  cutValidators,
  cut,
  cuts,
  openapiJson,
  asyncapiJson,
  llmsTxt,
  llmsFullTxt,
  economicsEmission,
  economicsEstimateStaking,
  economicsSupply,
  economicsSupplyProof,
  economicsSupplyCirculating,
  economicsSupplyTotal,
  economicsSupplyMax,
  health,
  ready,
  keysRegistered,
  mempoolPending,
  mempool,
  nodeIdentity,
  nodeStatus,
  nodeSync,
  proofsChanges,
  proofsCuts,
  proofsOutcomes,
  proofsUtxos,
  root,
  search,
  stakingPositions,
  stakingValidator,
  stakingValidators,
  transactionStatus,
  transactionSubmit,
  transactionsSubmit,
  transaction,
  transactionsManifest,
  transactionsRecent,
  transactionsStatus,
};
