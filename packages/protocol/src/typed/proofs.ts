/**
 * Typed calls about proofs and messages: who owns an address, who signed an answer, which validators to trust, and messages.
 */
import type { Network } from '../base/networks.ts';
import * as trust from '../cut/advance-validator-set.ts';
import type { WalletRoot } from '../keys/wallet-root.ts';
import * as messenger from '../messenger/limits.ts';
import * as ownership from '../ownership/address-proof.ts';
import * as challenges from '../ownership/proof-request.ts';
import * as service from '../service/verify-service-response.ts';
import type * as documents from './documents.ts';
import { twin } from './twin.ts';

/**
 * Makes the challenge that a wallet answers with a proof. Keep it: it is accepted once.
 * @example
 * const request = addressProofRequest({
 *   network: 'mainnet', chainId, address, domain: 'shop.example', expiresAtMillis: Date.now() + 60_000,
 * });
 */
export const addressProofRequest = /* @__PURE__ */ twin<
  (challenge: documents.AddressProofChallenge) => documents.AddressProofRequest
>(challenges.addressProofRequest, ['json'], 'json');

/**
 * Answers a challenge with the key at a path.
 * @example
 * const proof = proveAddress(root, 0, BRANCHES.receive, 0, request);
 */
export const proveAddress = /* @__PURE__ */ twin<
  (
    root: WalletRoot,
    account: number,
    branch: number,
    index: number,
    request: documents.AddressProofRequest,
  ) => documents.AddressProof
>(
  (root: WalletRoot, account: number, branch: number, index: number, json: string) =>
    root.proveAddress(account, branch, index, json),
  ['raw', 'raw', 'raw', 'raw', 'json'],
  'json',
);

/**
 * Checks that a proof answers the challenge in time, or throws.
 * @example
 * const { address } = verifyAddressProof(proof, request, Date.now());
 */
export const verifyAddressProof = /* @__PURE__ */ twin<
  (
    proof: documents.AddressProof,
    request: documents.AddressProofRequest,
    nowMillis: number,
  ) => documents.AddressProofVerification
>(ownership.verifyAddressProof, ['json', 'json', 'raw'], 'json');

/**
 * Checks the signed answer of a service against identity, nonce and chain that the client itself holds, or throws.
 * @example
 * const { finalizedHeight } = verifyServiceResponse(exchange);
 */
export const verifyServiceResponse = /* @__PURE__ */ twin<
  (exchange: documents.ServiceExchange) => documents.ServiceVerification
>(service.verifyServiceResponse, ['json'], 'json');

/**
 * Moves the trust of a light client forward to the set that a header names; `now` is in Unix milliseconds.
 * @example
 * trusted = advanceValidatorSet(trusted, header, certificate, nextSet, Date.now());
 */
export const advanceValidatorSet = /* @__PURE__ */ twin<
  (
    trusted: documents.TrustedSet,
    header: Uint8Array,
    certificate: Uint8Array,
    nextSet: Uint8Array,
    now: number,
  ) => documents.TrustedSet
>(trust.advanceValidatorSet, ['json', 'raw', 'raw', 'raw', 'text'], 'json');

/**
 * Sizes and numbers that the messenger allows.
 * @example
 * messengerLimits().maxTextBytes; // 4094
 */
export const messengerLimits = /* @__PURE__ */ twin<() => documents.MessengerLimits>(
  messenger.messengerLimits,
  [],
  'json',
);

/** How a method of the wallet root becomes a call: the root and the account come first. */
type OfRoot<Given, Answer> = (root: WalletRoot, account: number, given: Given) => Answer;

/**
 * Asks for a chat. The answer is the payment that carries the request.
 * @example
 * const { payload } = messengerRequest(root, 0, { network: 'mainnet', senderAddress, recipientAddress });
 */
export const messengerRequest = /* @__PURE__ */ twin<
  OfRoot<documents.MessengerParties, documents.MessengerPayment>
>(
  (root: WalletRoot, account: number, json: string) => root.messengerRequest(account, json),
  ['raw', 'raw', 'json'],
  'json',
);

/**
 * Accepts a requested chat.
 * @example
 * messengerAccept(root, 0, { network: 'mainnet', senderAddress, recipientAddress, requestPayload });
 */
export const messengerAccept = /* @__PURE__ */ twin<
  OfRoot<documents.MessengerAcceptance, documents.MessengerPayment>
>(
  (root: WalletRoot, account: number, json: string) => root.messengerAccept(account, json),
  ['raw', 'raw', 'json'],
  'json',
);

/**
 * Seals a text for a chat that is open.
 * @example
 * messengerMessage(root, 0, { ...parties, requestPayload, acceptPayload, sequence: 0, text: 'good evening' });
 */
export const messengerMessage = /* @__PURE__ */ twin<
  OfRoot<documents.MessengerText, documents.MessengerPayment>
>(
  (root: WalletRoot, account: number, json: string) => root.messengerMessage(account, json),
  ['raw', 'raw', 'json'],
  'json',
);

/**
 * Rebuilds every chat of an account from payments. Senders are believed as given: verify each transaction first.
 * @example
 * const { chats } = messengerChats(root, 0, { network: 'mainnet', ownAddresses: [own], payments });
 */
export const messengerChats = /* @__PURE__ */ twin<
  OfRoot<documents.MessengerHistory, documents.MessengerChats>
>(
  (root: WalletRoot, account: number, json: string) => root.messengerChats(account, json),
  ['raw', 'raw', 'json'],
  'json',
);

/**
 * The messenger id of the address at a path: 96 hexadecimal characters.
 * @example
 * const id = messengerId(root, 0, BRANCHES.receive, 0, 'mainnet');
 */
export const messengerId = /* @__PURE__ */ twin<
  (root: WalletRoot, account: number, branch: number, index: number, network: Network) => string
>(
  (root: WalletRoot, account: number, branch: number, index: number, network: string) =>
    root.messengerId(account, branch, index, network),
  ['raw', 'raw', 'raw', 'raw', 'raw'],
);
