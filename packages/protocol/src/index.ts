/**
 * What the module offers, the same from every entry; `init` comes from the entry itself.
 */
export type { ErrorCode } from './base/error-codes.ts';
export { ERROR_CODES } from './base/error-codes.ts';
export type { Network } from './base/networks.ts';
export { SvcError } from './base/svc-error.ts';
export { mnemonicEntropy, mnemonicFromEntropy } from './keys/mnemonic.ts';
export { BRANCHES, WalletRoot } from './keys/wallet-root.ts';
export { verifyAddressProof } from './ownership/address-proof.ts';
export { addressProofRequest } from './ownership/proof-request.ts';
export { addressVerificationWords } from './ownership/verification-words.ts';
export { decodeRecipientPayloads, encodeRecipientPayloads } from './payload/recipient-payloads.ts';
export { addressFromPublicKey, burnAddress, parseAddress } from './text/address-documents.ts';
export { formatAmount, parseAmount } from './text/amount.ts';
export { formatPaymentUri, parsePaymentUri } from './text/payment-uri.ts';
export { openWalletFile, sealWalletFile } from './wallet-file/wallet-file.ts';
