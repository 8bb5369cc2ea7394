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
  keccak256(pointer: number, length: number, out: number): void;
  keccak512(pointer: number, length: number, out: number): void;

  mldsaExpandedKeyBytes(): number;
  mldsaExpand(publicKey: number, slot: number): void;
  mldsaKeygen(seed: number, publicKey: number, secretKey: number): void;
  mldsaSign(
    secretKey: number,
    message: number,
    messageLength: number,
    context: number,
    contextLength: number,
    random: number,
    signature: number,
  ): void;
  mldsaSignMu(secretKey: number, mu: number, random: number, signature: number): void;
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
}
