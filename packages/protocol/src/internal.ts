/**
 * What the other packages of this repository use beyond the public module: typed forms, decoders and
 * hashing in batches. It is not part of the published package and may change with it.
 */

export { hashLabel, keyHash } from './kernel/hash-label.ts';
export { createManifest, type Manifest, parseManifest } from './manifest/manifest.ts';
export { defaultRules, type Rules } from './manifest/rules.ts';
export { hashBuckets, hashNodes, type NodeRun, type TakeSubtree } from './state/tree-hasher.ts';
export { decodeBody, decodeTransaction } from './transaction/decode.ts';
export { encodeBody } from './transaction/encode-body.ts';
export { showBody } from './transaction/inspect-body.ts';
export { operationType } from './transaction/operation-fields.ts';
export { previousOutputBytes } from './transaction/previous-output.ts';
export { type Outpoint, type Output, TransactionTable } from './transaction/table.ts';
export {
  type Verdict,
  type VerifyRequest,
  verifyTransactionBytes,
} from './transaction/verify-bytes.ts';
