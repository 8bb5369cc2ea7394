/**
 * The documents of the typed calls, each made from the type of its JSON document.
 */
import type { TrustedSetDocument } from '../cut/trusted-set.ts';
import type { ManifestDocument } from '../manifest/manifest.ts';
import type * as messenger from '../messenger/documents.ts';
import type { DescriptorDocument } from '../multisig/descriptor.ts';
import type * as packages from '../multisig/package-review.ts';
import type * as ownership from '../ownership/address-proof.ts';
import type * as challenges from '../ownership/proof-request.ts';
import type * as payloads from '../payload/recipient-payloads.ts';
import type * as service from '../service/verify-service-response.ts';
import type * as addresses from '../text/address-documents.ts';
import type { PaymentUriDocument } from '../text/payment-uri.ts';
import type * as profiles from '../transaction/profiles.ts';
import type * as request from '../transaction/request.ts';
import type * as keys from '../transaction/verify.ts';
import type * as witness from '../transaction/witness.ts';
import type { Address, Typed } from './fields.ts';

/** The rules of a chain; `validateManifest` makes it from the text that a node serves. */
export type Manifest = Typed<ManifestDocument>;
/** What `encodeTransactionBody` takes. */
export type TransactionRequest = Typed<request.TransactionRequest>;
/** An output that an input spends. */
export type PreviousOutput = Typed<request.PreviousOutput>;
/** What a body says, with its id and network. */
export type BodyInspection = Typed<request.BodyInspection>;
/** Size, mass, minimum fee and number of signatures. */
export type TransactionQuote = Typed<request.TransactionQuote>;
/** What a signed transaction says. */
export type TransactionInspection = Typed<request.TransactionInspection>;
/** What is known of a transaction that verified. */
export type TransactionVerification = Typed<request.TransactionVerification>;
/** A profile for each witness that a quote counts with. */
export type InputProfiles = Typed<profiles.InputProfiles>;
/** A key that the chain's registry holds. */
export type RegisteredKey = Typed<keys.RegisteredKeyRequest>;
/** The signature of one member of a multisig. */
export type MemberSignature = Typed<witness.MemberSignatureRequest>;
/** Threshold and member keys of a multisig address. */
export type MultisigDescriptor = Typed<DescriptorDocument>;
/** A multisig package taken apart. */
export type MultisigPackage = Typed<packages.PackageDocument>;
/** What a person must see before a key signs a multisig package. */
export type PackageReview = Typed<packages.PackageReview>;
/** Network, type and hash of an address. */
export type AddressParts = Typed<addresses.AddressDocument>;
/** The payer's note to the receiver of one output. */
export type RecipientPayload = Typed<payloads.RecipientPayload>;
/** What a service asks a wallet to prove. */
export type AddressProofChallenge = Typed<challenges.AddressProofChallenge>;
/** A challenge with the nonce that makes it the only one. */
export type AddressProofRequest = Typed<challenges.AddressProofRequest>;
/** The answer of a wallet to a challenge. */
export type AddressProof = Typed<ownership.AddressProof>;
/** Whose address was proven, for whom. */
export type AddressProofVerification = Typed<ownership.AddressProofVerification>;
/** What a light client trusts: a validator set and the cut it was learnt from. */
export type TrustedSet = Typed<TrustedSetDocument>;
/** A request and its signed answer, with what the client itself holds. */
export type ServiceExchange = Typed<service.ServiceExchange>;
/** Who signed an answer, and at which height. */
export type ServiceVerification = Typed<service.ServiceVerification>;
/** Sizes and numbers that the messenger allows. */
export type MessengerLimits = Typed<messenger.MessengerLimits>;
/** Who asks whom for a chat. */
export type MessengerParties = Typed<messenger.MessengerParties>;
/** The parties and the request that is accepted. */
export type MessengerAcceptance = Typed<messenger.MessengerAcceptance>;
/** A text for a chat. */
export type MessengerText = Typed<messenger.MessengerText>;
/** The payment that carries a payload of the messenger. */
export type MessengerPayment = Typed<messenger.MessengerPayment>;
/** Payments from which chats are rebuilt. */
export type MessengerHistory = Typed<messenger.MessengerHistory>;
/** All chats of an account. */
export type MessengerChats = Typed<messenger.MessengerChats>;

/** What a payment link asks for. */
export interface PaymentRequest {
  readonly network: PaymentUriDocument['network'];
  readonly address: Address;
  /** Atoms. */
  readonly amount?: bigint;
  readonly label?: string;
  readonly message?: string;
}

/** What a payment link says. */
export interface PaymentLink extends PaymentRequest {
  readonly type: PaymentUriDocument['type'];
}
