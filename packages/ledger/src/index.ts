/**
 * svc-ledger: what one cut does to the state, as a pure function of a view and a cut.
 */
export { applyCut } from './apply-cut.ts';
export { LedgerAssertionError } from './assertion.ts';
export { type CutFault, checkCut } from './check-cut.ts';
export { keyValue, outputValue, positionValue, validatorValue } from './commitment/leaf-values.ts';
export { OUTCOME_CODES, outcomeRoot } from './commitment/outcome-root.ts';
export { stateRoot, subtreeBytes } from './commitment/state-root.ts';
export { targetBytes, totalsRoot } from './commitment/totals.ts';
export {
  type Commitments,
  type LeafChange,
  type OutputLeafChange,
  type RecordLeafChange,
  type StagedTrees,
  type Subtree,
  TREES,
  type TreeName,
  type TreeRoots,
} from './commitment/trees.ts';
export type { Hash, LedgerPorts } from './context.ts';
export type {
  BlockReward,
  Burn,
  CutEvents,
  CutInput,
  CutResult,
  Equivocation,
  ExecutedBlock,
  HistoryEntry,
  KeyRegistration,
  OutcomeKind,
  RegisteredBlock,
  StakePayout,
  TransactionOutcome,
  ValidatorEvent,
} from './cut.ts';
export { type BlockRewardState, blockRewardState } from './documents/block-reward-state.ts';
export { type EmissionDocument, emissionDocument } from './documents/emission.ts';
export { type StakingEstimate, stakingEstimate } from './documents/staking-estimate.ts';
export { type SupplyDocument, supplyDocument } from './documents/supply.ts';
export {
  type Failure,
  type OutcomeStatus,
  statusOfOutcome,
} from './documents/transaction-status.ts';
export { chainIdOf, encodeGenesis } from './genesis/chain-id.ts';
export {
  DEVELOPMENT_ACCOUNTS,
  DEVELOPMENT_MNEMONIC,
  type DevelopmentKeys,
  developmentGenesis,
} from './genesis/development.ts';
export {
  checkGenesis,
  formatGenesis,
  type Genesis,
  type GenesisOutput,
  type GenesisValidator,
  parseGenesis,
} from './genesis/document.ts';
export { type GenesisResult, genesisState } from './genesis/state.ts';
export {
  type Address,
  BURN_ADDRESS,
  type Identifier,
  keyAddress,
  numberKey,
  type Outpoint,
  type OutpointKey,
  outpointKey,
  outpointOf,
} from './identifiers.ts';
export type { Operation } from './operation.ts';
export { Overlay } from './overlay.ts';
export * from './parameters.ts';
export * from './records.ts';
export { windowsPresent } from './rules/attendance.ts';
export { validatorSetIdOf } from './rules/committee.ts';
export { blocksToExecute } from './rules/execute-blocks.ts';
export { type Liveness, livenessOf } from './rules/liveness.ts';
export { PAYOUT_KINDS, payoutId } from './rules/outputs.ts';
export { dueMillis, earliestMillis } from './rules/pace.ts';
export { positionIdOf, principalOf, unbondingOf } from './rules/positions.ts';
export { validatorIdOf } from './rules/register-validator.ts';
export {
  blockFault,
  compareBlocks,
  isRegistrable,
  type RegistrationFault,
  registrationFault,
  registrationWindowEnd,
} from './rules/registration.ts';
export type {
  ExecutableTransaction,
  KeyLookup,
  Signatures,
  TransactionInput,
  TransactionOutput,
} from './transaction.ts';
export type { Change, StateView } from './view.ts';
