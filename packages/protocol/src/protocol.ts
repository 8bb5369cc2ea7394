/**
 * The protocol in typed form, `svc-wasm/protocol`: encoders, decoders and hashing that the node, the ledger,
 * finality, the wallet and the other packages of this repository build on. It is published for those packages alone
 * and changes together with them, without a promise to other users.
 */

export {
  BLOCK_BODY_BYTES_MAX,
  type BlockBody,
  type DecodedBlockBody,
  type DecodedTransaction,
  decodeBlockBody,
  encodeBlockBody,
} from './block/block-body.ts';
export {
  BLOCK_HEADER_BYTES,
  type BlockHeader,
  type DecodedBlockHeader,
  decodeBlockHeader,
  encodeBlockHeader,
} from './block/block-header.ts';
export { encodeExtranonce, expectMinerTag, minerTag } from './block/extranonce.ts';
export { decodeWorkBlock, type WorkBlock } from './block/work-block.ts';
export { advanceWithinEpoch, CLOCK_DRIFT_MS_MAX } from './cut/advance-validator-set.ts';
export {
  type Certificate,
  type CertificateHead,
  decodeCertificate,
  decodeCertificateHead,
  decodePolkaCertificate,
  encodeCertificate,
  encodePolkaCertificate,
  type PolkaCertificate,
} from './cut/certificate.ts';
export { certifyCutOfSet } from './cut/certified-cut.ts';
export {
  type CutBody,
  decodeCutBody,
  encodeCutBody,
  evidenceRoot,
  registeredRoot,
} from './cut/cut-body.ts';
export {
  CUT_HEADER_BYTES,
  type CutHeader,
  cutId,
  decodeCutHeader,
  encodeCutHeader,
} from './cut/cut-header.ts';
export {
  checkEvidence,
  decodeEvidence,
  type Evidence,
  encodeEvidence,
  evidenceOfProposals,
  evidenceOfVotes,
} from './cut/evidence.ts';
export { EVIDENCE_MAX, REGISTERED_BLOCKS_MAX, VALIDATORS_MAX } from './cut/limits.ts';
export {
  decodeProposal,
  encodeProposal,
  PROPOSAL_BYTES,
  type Proposal,
  type ProposalContent,
  proposalSignBytes,
  verifyProposal,
} from './cut/proposal.ts';
export {
  advanceOverRecovery,
  type ChainRecovery,
  expectRecoveryOf,
  formatRecovery,
  parseRecovery,
  RECOVERIES_MAX,
  type RecoveredMember,
  type RecoveredSeat,
  type RecoveryPlace,
  recoveryWords,
  signSeat,
  trustOfRecovery,
} from './cut/recovery.ts';
export {
  isHonestMinority,
  isQuorum,
  signerIndexes,
  signersOf,
} from './cut/signers.ts';
export {
  parseTrustedSet,
  type TrustedSet,
  type TrustedSetDocument,
  trustedSetJson,
} from './cut/trusted-set.ts';
export {
  decodeValidatorSet,
  encodeValidatorSet,
  type Validator,
  type ValidatorSet,
  validatorSetId,
} from './cut/validator-set.ts';
export {
  type CertificateFacts,
  checkCertificate,
  checkCut,
  checkPolkaCertificate,
  checkVotes,
} from './cut/verify-certificate.ts';
export {
  decodeVote,
  encodeVote,
  NO_ROUND,
  VOTE_BYTES,
  type Vote,
  type VoteContent,
  type VoteKind,
  verifyVote,
  voteSignBytes,
} from './cut/vote.ts';
export { hashLabel, keyHash } from './kernel/hash-label.ts';
export {
  CHANGE_BYTES,
  CHANGE_KINDS,
  type ChangeKind,
  type ChangeLeaf,
  encodeChangeLeaves,
  encodeOutcomeLeaves,
  OUTCOME_KINDS,
  OUTPUT_SOURCES,
  type OutcomeKind,
  type OutcomeLeaf,
  type OutputSource,
  readChangeLeaf,
} from './list/cut-leaves.ts';
export {
  type AddressedChange,
  decodeChangesProof,
  decodeIdsProof,
  decodeOutcomesProof,
  encodeLeavesProof,
  type LeavesProof,
  selectCutChanges,
} from './list/cut-proofs.ts';
export {
  appendHistory,
  type HistoryPeaks,
  historyRoot,
  peakCount,
} from './list/history-peaks.ts';
export {
  checkLeaves,
  encodeListProof,
  type ListProof,
  type NodeOver,
  proveLeaves,
  readListProof,
} from './list/list-proof.ts';
export {
  hashListLeaves,
  type ListLeaf,
  listLevels,
  listNode,
  listRoot,
  rootOfList,
} from './list/list-tree.ts';
export { createManifest, type Manifest, parseManifest } from './manifest/manifest.ts';
export { defaultRules, PROTOCOL_VERSION, type Rules } from './manifest/rules.ts';
export {
  HEADERS as SERVICE_HEADERS,
  type ServiceAnswer,
  type ServiceHeaders,
  serviceResponseMessage,
  signServiceResponse,
} from './service/service-answer.ts';
export { type CompletenessProof, encodeCompletenessProof } from './state/completeness-proof.ts';
export { hashOutputs, rootOfLeaves } from './state/hash-batches.ts';
export { encodeOutputProof, type OutputProof } from './state/output-proof.ts';
export {
  decodeOutputValue,
  encodeOutputValue,
  type Output as StateOutput,
} from './state/output-value.ts';
export type { PathStep } from './state/path.ts';
export {
  encodeOtherRoots,
  type OtherRoots,
  type StateRoots,
  stateRoot,
} from './state/state-root.ts';
export { decodeSubtree, encodeSubtree, type Subtree } from './state/subtree.ts';
export {
  certifiedTotals,
  encodeTotalsProof,
  type ProvenTotals,
  type TotalsProof,
} from './state/totals-proof.ts';
export {
  hashBuckets,
  hashLeaves,
  hashNodes,
  type NodeRun,
  type TakeSubtrees,
} from './state/tree-hasher.ts';
export { keyAddressBytes } from './text/address-documents.ts';
export { assemble } from './transaction/assemble.ts';
export { decodeBody, decodeOwnTransaction, decodeTransaction } from './transaction/decode.ts';
export { encodeBody, makeBody } from './transaction/encode-body.ts';
export { showBody } from './transaction/inspect-body.ts';
export { makeSpendMessage } from './transaction/messages.ts';
export {
  decodeOperation,
  OPERATION_TYPES,
  type Operation,
  type OperationOf,
  type OperationType,
} from './transaction/operations.ts';
export { previousOutputBytes } from './transaction/previous-output.ts';
export { type Outpoint, type Output, TransactionTable } from './transaction/table.ts';
export {
  checkTransactionBytes,
  type Verdict,
  type VerifyRequest,
  verifyTransactionBytes,
} from './transaction/verify-bytes.ts';
export type { WalletFileCost } from './wallet-file/cost.ts';
export type { PasswordHash } from './wallet-file/installed-hash.ts';
export {
  type KeyFileContents,
  type KeyKind,
  openKeyFile,
  sealKeyFile,
} from './wallet-file/key-file.ts';
export { openWith, sealWith } from './wallet-file/wallet-file.ts';
