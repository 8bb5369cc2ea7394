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

  mldsaExpandedKeyBytes(): number;
  mldsaExpand(publicKey: number, slot: number): void;
  mldsaKeygen(seed: number, publicKey: number, secretKey: number): void;
  /** 1 if signed; 0 if the attempts ran out, as they can for a malformed key only. */
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
}
