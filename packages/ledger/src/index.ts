/**
 * svc-ledger: what one cut does to the state, as a pure function of a view and a cut.
 */
export { applyCut } from './apply-cut.ts';
export { LedgerAssertionError } from './assertion.ts';
export { type CutFault, checkCut } from './check-cut.ts';
export {
  changeRecords,
  changesRoot,
  type ListRoot,
  outcomeRecords,
  outcomeRoot,
} from './commitment/cut-lists.ts';
export {
  keyValue,
  type NamedOutput,
  outputValue,
  outputValues,
  positionValue,
  recordKey,
  validatorValue,
} from './commitment/leaf-values.ts';
export { stateRoot, subtreeBytes } from './commitment/state-root.ts';
export { targetBytes, totalsBytes, totalsRoot } from './commitment/totals.ts';
export {
  type CheckRoots,
  type Commitments,
  type DeferredTrees,
  type LeafChange,
  type OutputLeafChange,
  type RecordLeafChange,
  type StagedTrees,
  type Subtree,
  TREES,
  type TreeName,
  type TreeRoots,
  type VouchedCut,
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
  type DevelopmentOptions,
  type DevelopmentValidator,
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
export { type GenesisResult, genesisState, genesisValidatorId } from './genesis/state.ts';
export {
  type Address,
  BURN_ADDRESS,
  blockKey,
  bytesOf,
  type Identifier,
  keyAddress,
  numberKey,
  type Outpoint,
  type OutpointKey,
  outpointKey,
  outpointOf,
} from './identifiers.ts';
export { Overlay } from './overlay.ts';
export {
  ATOMS_PER_COIN,
  ATTENDANCE_SIGNATURES_MIN,
  ATTENDANCE_WINDOWS,
  ATTENDANCE_WINDOWS_MIN,
  attendanceWindowOf,
  BLOCK_BODY_BYTES_MAX,
  BLOCK_MASS_MAX,
  BLOCKS_PER_CUT_MAX,
  COMMISSION_BPS_MAX,
  COMMISSION_BPS_STEP,
  COMMISSION_DELAY_EPOCHS,
  COMMITTEE_SIZE_MAX,
  checkParameters,
  ELIGIBILITY_DELAY_EPOCHS,
  EMISSION_TOTAL,
  ENDPOINT_DELAY_EPOCHS,
  EVIDENCE_PER_CUT_MAX,
  epochEnd,
  epochOf,
  epochStart,
  GENESIS_SUPPLY,
  HEARTBEAT_EPOCHS,
  JAIL_EPOCHS,
  KEY_DELAY_EPOCHS,
  LEDGER_PARAMETERS,
  type LedgerParameters,
  MAX_SUPPLY,
  MIN_FEE_PER_MASS,
  PACE_DEBT_MILLIS_MAX,
  PARENT_CUTS,
  POSITION_MIN,
  REGISTRATION_WINDOW_CUTS,
  SELF_BOND_MIN,
  SLASHED_DELEGATION_DIVISOR,
  SPENT_MEMORY_EPOCHS,
  setStart,
  stakePayoutCuts,
  UNBONDING_CHUNKS_MAX,
  UNBONDING_EPOCHS,
  WORK_HALF_LIFE_CUTS,
} from './parameters.ts';
export type {
  Operation,
  OperationOf,
  OperationType,
  OutcomeKind,
  OutputSource,
} from './protocol.ts';
export {
  type AnchorRecord,
  type Attendance,
  type BlockRecord,
  type BodyRecord,
  type CommitteeMember,
  type EconomyRecord,
  type EpochRecord,
  type KeyRecord,
  type OutputRecord,
  type PastCutsRecord,
  type Pending,
  type PoolMember,
  type PoolRecord,
  type PositionKind,
  type PositionRecord,
  type PublicKey,
  type RegisteredRecord,
  type ReleaseRecord,
  SINGLE_KEY,
  type SpentListRecord,
  type SpentRecord,
  type StoodRecord,
  TABLES,
  type Table,
  type Tables,
  type UnbondingChunk,
  type ValidatorRecord,
  type ValidatorStatus,
} from './records.ts';
export { windowsPresent } from './rules/attendance.ts';
export { validatorSetIdOf } from './rules/committee.ts';
export { blocksToExecute } from './rules/execute-blocks.ts';
export { type Liveness, livenessOf } from './rules/liveness.ts';
export { bondedBy, operationOwner } from './rules/operations.ts';
export { genesisBondId, PAYOUT_KINDS, type PayoutPorts, payoutId } from './rules/outputs.ts';
export { dueMillis, earliestMillis, shortestMillis } from './rules/pace.ts';
export { oldestParentCut, RecentBlocks } from './rules/parents.ts';
export { positionIdOf, principalHeld, principalOf, unbondingOf } from './rules/positions.ts';
export { type RecoveryFault, recoveryFault, viewForNextCut } from './rules/recovery.ts';
export type { Refusal } from './rules/refusal.ts';
export { validatorIdOf } from './rules/register-validator.ts';
export {
  blockFault,
  compareBlocks,
  isRegistrable,
  type RegistrationFault,
  registrationFault,
  registrationWindowEnd,
} from './rules/registration.ts';
export { rehearseOperation } from './rules/rehearse-operation.ts';
export {
  type ExecutableTransaction,
  type KeyLookup,
  outputKey,
  type Signatures,
  type TransactionInput,
  type TransactionOutput,
} from './transaction.ts';
export type { Change, StateView } from './view.ts';
export { WireTransactions } from './wire/wire-transactions.ts';
