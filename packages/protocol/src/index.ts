/**
 * What the module offers, the same from every entry; `init` comes from the entry itself.
 */
export { fromHex, toHex } from './base/bytes.ts';
export type { ErrorCode } from './base/error-codes.ts';
export type { Network } from './base/networks.ts';
export { SvcError } from './base/svc-error.ts';
export { advanceValidatorSet } from './cut/advance-validator-set.ts';
export type { CertifiedCut } from './cut/certified-cut.ts';
export { certifyCut, certifyEarlierCuts, verifyCutCertificate } from './cut/certified-cut.ts';
export { mnemonicEntropy, mnemonicFromEntropy } from './keys/mnemonic.ts';
export { BRANCHES, WalletRoot } from './keys/wallet-root.ts';
export type { ChangeKind, OutcomeKind, OutputSource } from './list/cut-leaves.ts';
export type { ProvenChange, ProvenOutcome } from './list/cut-proofs.ts';
export { checkCutChanges, checkCutOutcomes } from './list/cut-proofs.ts';
export type { ManifestDocument as Manifest } from './manifest/manifest.ts';
export { validateManifest } from './manifest/manifest.ts';
export { messengerLimits } from './messenger/limits.ts';
export { isMessengerPayload } from './messenger/payload.ts';
export type { DescriptorDocument } from './multisig/descriptor.ts';
export {
  createMultisigDescriptor,
  multisigAddress,
  validateMultisigDescriptor,
} from './multisig/descriptor.ts';
export { combineMultisigPackages } from './multisig/package-combine.ts';
export { completeMultisigPackage } from './multisig/package-complete.ts';
export {
  createMultisigPackage,
  createReferencedMultisigPackage,
} from './multisig/package-create.ts';
export type { PackageDocument, PackageReview } from './multisig/package-review.ts';
export { decodeMultisigPackage, reviewMultisigPackage } from './multisig/package-review.ts';
export {
  addMultisigPackageSignatures,
  multisigPackageSigningMessages,
} from './multisig/package-sign.ts';
export type { SigningOptions } from './multisig/signing-options.ts';
export type { AddressProof, AddressProofVerification } from './ownership/address-proof.ts';
export { verifyAddressProof } from './ownership/address-proof.ts';
export type { AddressProofChallenge, AddressProofRequest } from './ownership/proof-request.ts';
export { addressProofRequest } from './ownership/proof-request.ts';
export { addressVerificationWords } from './ownership/verification-words.ts';
export type { RecipientPayload } from './payload/recipient-payloads.ts';
export { decodeRecipientPayloads, encodeRecipientPayloads } from './payload/recipient-payloads.ts';
export { serviceIdentityForPublicKey } from './service/service-answer.ts';
export { verifyServiceResponse } from './service/verify-service-response.ts';
export type { ProvenAddress, ProvenOutput, ProvenUtxo } from './state/verify-proofs.ts';
export {
  checkAddressCompleteness,
  checkUtxoProof,
  verifyAddressCompleteness,
  verifyUtxoProof,
} from './state/verify-proofs.ts';
export type { AddressType } from './text/address.ts';
export type { AddressDocument } from './text/address-documents.ts';
export { addressFromPublicKey, burnAddress, parseAddress } from './text/address-documents.ts';
export { formatAmount, parseAmount } from './text/amount.ts';
export type { PaymentUriDocument, PaymentUriRequest } from './text/payment-uri.ts';
export { formatPaymentUri, parsePaymentUri } from './text/payment-uri.ts';
export { assembleTransaction } from './transaction/assemble.ts';
export { encodeTransactionBody } from './transaction/encode-body.ts';
export { inspectTransactionBody, transactionId } from './transaction/inspect-body.ts';
export { inspectTransaction } from './transaction/inspect-transaction.ts';
export { operationMessage, possessionMessage, spendMessage } from './transaction/messages.ts';
export type { OperationRequest, OperationType } from './transaction/operations.ts';
export type { InputProfile, InputProfiles } from './transaction/profiles.ts';
export {
  quoteTransaction,
  quoteTransactionWithInputProfiles,
  quoteTransactionWithWitnesses,
} from './transaction/quote.ts';
export type {
  BodyInspection,
  InputRequest,
  OutputRequest,
  SignerInspection,
  TransactionInspection,
  TransactionQuote,
  TransactionRequest,
  TransactionVerification,
  WitnessInspection,
} from './transaction/request.ts';
export type { RegisteredKeyRequest } from './transaction/verify.ts';
export { verifyTransaction, verifyTransactionWithReferencedKeys } from './transaction/verify.ts';
export type { MemberSignatureRequest } from './transaction/witness.ts';
export {
  encodeMultisigInlineWitness,
  encodeMultisigReferencedWitness,
  encodeWitness,
  encodeWitnessWithProfile,
} from './transaction/witness.ts';
export {
  openWalletFile,
  openWalletFileAsync,
  sealWalletFile,
  sealWalletFileAsync,
} from './wallet-file/wallet-file.ts';
