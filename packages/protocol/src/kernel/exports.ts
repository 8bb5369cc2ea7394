/**
 * What the kernel exports, typed in one place. Pointers are byte offsets into its memory.
 * A function that can fail on input returns 0 or an error number (`kernel-errors.ts`).
 */
export interface KernelExports {
  inPointer(): number;
  inBytes(): number;
  outPointer(): number;
  outBytes(): number;
  heapBase(): number;

  sha384(pointer: number, length: number, out: number): void;
  sha384Begin(): void;
  sha384Update(pointer: number, length: number): void;
  sha384End(out: number): void;
  keccak256(pointer: number, length: number, out: number): void;
  keccak512(pointer: number, length: number, out: number): void;
  /** The form of Keccak in use, as an index of `KECCAK_FORMS`. */
  keccakForm(): number;
  keccakUseForm(form: number): void;

  mldsaExpandedKeyBytes(): number;
  mldsaExpand(publicKey: number, slot: number): void;
  mldsaKeygen(seed: number, publicKey: number, secretKey: number): void;
  /** 1 if signed; 0 if the secret key is malformed. */
  mldsaSign(
    secretKey: number,
    message: number,
    messageLength: number,
    context: number,
    contextLength: number,
    random: number,
    signature: number,
  ): number;
  mldsaSignMu(secretKey: number, mu: number, random: number, signature: number): number;
  /** 1 if the signature holds, 0 if not. */
  mldsaVerify(
    publicKey: number,
    message: number,
    messageLength: number,
    context: number,
    contextLength: number,
    signature: number,
  ): number;
  mldsaVerifyExpanded(
    slot: number,
    message: number,
    messageLength: number,
    context: number,
    contextLength: number,
    signature: number,
  ): number;
  mldsaVerifyMu(publicKey: number, mu: number, signature: number): number;

  /** The transaction calls fill the table of `assembly/transaction/layout.ts` at the start of OUT. */
  txBodyDecode(manifest: number, body: number, length: number): number;
  txDecode(manifest: number, wire: number, length: number): number;
  txQuote(manifest: number, body: number, length: number, profiles: number): number;
  txVerify(
    manifest: number,
    wire: number,
    length: number,
    previousOutputs: number,
    previousCount: number,
    owner: number,
    keys: number,
    keyCount: number,
  ): number;
  /** The item that the last failing transaction call blames, or -1. */
  txErrorIndex(): number;
  txSpendMessage(index: number, previousOutput: number): void;
  txOperationMessage(): void;
  txPossessionMessage(body: number): void;

  /** Tree hashing in batches: records are in IN, subtrees of 64 bytes go to OUT. */
  treeBuckets(count: number): number;
  treeLeaves(tree: number, count: number): number;
  treeNodes(bit: number, count: number): number;

  /** Leaves and nodes of Merkle lists in batches: records are in IN, digests of 48 bytes go to OUT. */
  listLeaves(kind: number, count: number): number;
  listNodes(count: number): number;

  /** Batches of tree records in IN; results in OUT, as `assembly/tree/batch.ts` describes. */
  treeOutputs(count: number): number;
  treeRootBegin(): void;
  treeRootPush(count: number): number;
  treeRootEnd(): number;
  /** Proof checks. After success OUT holds the subtree of the address. */
  outputProofCheck(proof: number, length: number, stateRoot: number): number;
  completenessProofCheck(proof: number, length: number, address: number, stateRoot: number): number;

  /** After success OUT holds the block id. */
  blockHeaderCheck(header: number, length: number, chainId: number): number;
  /** After success OUT holds the table of `assembly/block/layout.ts`, without the root of the body if `hasRoot` is 1. */
  blockBodyCheck(manifest: number, body: number, length: number, hasRoot: number): number;
  /** The transaction that the last failing `blockBodyCheck` blames, or -1. */
  blockBodyFault(): number;

  /** After success OUT holds the cut id. */
  cutHeaderDecode(header: number, length: number): number;
  /** After success OUT holds the set's id, its whole stake and its size. */
  validatorSetDecode(set: number, length: number): number;
  certificateDecode(kind: number, certificate: number, length: number): number;
  /** After success OUT holds the table of `assembly/cut/layout.ts`: what the certificate proves. */
  certificateCheck(
    kind: number,
    header: number,
    headerLength: number,
    certificate: number,
    length: number,
    set: number,
    setLength: number,
    chainId: number,
    slots: number,
  ): number;
  /** The part of a cut, and the item of that part, that the last failing call about a cut blames. */
  cutFaultPart(): number;
  cutFaultIndex(): number;
}
