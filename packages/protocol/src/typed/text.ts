/**
 * Typed calls about what people read and write: amounts, addresses, payment links, payloads; and the makers of ids.
 */
import { fromHex } from '../base/bytes.ts';
import { expectNetwork, type Network } from '../base/networks.ts';
import { ID_BYTES } from '../base/sizes.ts';
import * as words from '../ownership/verification-words.ts';
import * as payloads from '../payload/recipient-payloads.ts';
import * as identity from '../service/service-answer.ts';
import { decodeNetworkAddress } from '../text/address.ts';
import * as addresses from '../text/address-documents.ts';
import * as amounts from '../text/amount.ts';
import * as links from '../text/payment-uri.ts';
import type * as documents from './documents.ts';
import type { Address, ChainId, ServiceIdentity, TransactionId } from './fields.ts';
import { twin } from './twin.ts';

/**
 * Coins as atoms.
 * @example
 * parseAmount('1.25'); // 125000000n
 */
export function parseAmount(coins: string): bigint {
  return BigInt(amounts.parseAmount(coins));
}

/**
 * Atoms as coins with all 8 decimals.
 * @example
 * formatAmount(125_000_000n); // '1.25000000'
 */
export function formatAmount(atoms: bigint): string {
  return amounts.formatAmount(String(atoms));
}

/**
 * Checks a text and makes it an address, on one network if it is named.
 * @example
 * const to = asAddress(form.address.value, 'mainnet');
 */
export function asAddress(text: string, network?: Network): Address {
  const { network: found } = decodeNetworkAddress(text);
  if (network !== undefined && expectNetwork(network, 'network') !== found)
    addresses.parseAddress(text, network);
  return text as Address;
}

/**
 * Checks a text and makes it the id of a transaction.
 * @example
 * const id = asTransactionId(location.hash.slice(1));
 */
export function asTransactionId(text: string): TransactionId {
  fromHex(text, 'transactionId', ID_BYTES);
  return text as TransactionId;
}

/**
 * Checks a text and makes it the id of a chain.
 * @example
 * const chain = asChainId('5c'.repeat(48));
 */
export function asChainId(text: string): ChainId {
  fromHex(text, 'chainId', ID_BYTES);
  return text as ChainId;
}

/**
 * Checks a text and makes it the identity of a service.
 * @example
 * const pinned = asServiceIdentity(configuration.identity);
 */
export function asServiceIdentity(text: string): ServiceIdentity {
  fromHex(text, 'identity', ID_BYTES);
  return text as ServiceIdentity;
}

/**
 * The address of a public key.
 * @example
 * const own = addressFromPublicKey(root.derivePublicKey(0, BRANCHES.receive, 0), 'mainnet');
 */
export const addressFromPublicKey = /* @__PURE__ */ twin<
  (publicKey: Uint8Array, network: Network) => Address
>(addresses.addressFromPublicKey, ['raw', 'raw']);

/**
 * Takes an address apart; with a network, one of any other is refused.
 * @example
 * parseAddress(text).network; // 'mainnet'
 */
export const parseAddress = /* @__PURE__ */ twin<
  (address: string, network?: Network) => documents.AddressParts
>(addresses.parseAddress, ['raw', 'raw'], 'json');

/**
 * The address whose outputs are never created: what is paid to it leaves the supply.
 * @example
 * const nowhere = burnAddress('mainnet');
 */
export const burnAddress = /* @__PURE__ */ twin<(network: Network) => Address>(
  addresses.burnAddress,
  ['raw'],
);

/**
 * Six words to read aloud when an address is compared by voice.
 * @example
 * addressVerificationWords(own).split(' ').length; // 6
 */
export const addressVerificationWords = /* @__PURE__ */ twin<(address: Address) => string>(
  words.addressVerificationWords,
  ['raw'],
);

interface LinkText {
  readonly amount?: string;
  readonly amount_atoms?: string;
}

/**
 * A payment link, for a page or a QR code.
 * @example
 * formatPaymentUri({ network: 'mainnet', address: own, amount: parseAmount('1.5'), label: 'Café' });
 */
export const formatPaymentUri = /* @__PURE__ */ twin<(request: documents.PaymentRequest) => string>(
  (json: string) => {
    const { amount, ...rest } = JSON.parse(json) as LinkText;
    const coins = amount === undefined ? {} : { amount: amounts.formatAmount(amount) };
    return links.formatPaymentUri(JSON.stringify({ ...rest, ...coins }));
  },
  ['json'],
);

/**
 * Reads a payment link for a network.
 * @example
 * const { address, amount } = parsePaymentUri(scanned, 'mainnet');
 */
export const parsePaymentUri = /* @__PURE__ */ twin<
  (uri: string, network: Network) => documents.PaymentLink
>(
  (uri: string, network: string) => {
    const {
      amount: _,
      amount_atoms,
      ...rest
    } = JSON.parse(links.parsePaymentUri(uri, network)) as LinkText;
    const atoms = amount_atoms === undefined ? {} : { amount: amount_atoms };
    return JSON.stringify({ ...rest, ...atoms });
  },
  ['raw', 'raw'],
  'json',
);

/**
 * Packs notes to the receivers of outputs into a payload, which is public.
 * @example
 * const payload = encodeRecipientPayloads([{ outputIndex: 0, text: 'order 17' }]);
 */
export const encodeRecipientPayloads = /* @__PURE__ */ twin<
  (entries: readonly documents.RecipientPayload[]) => Uint8Array
>(payloads.encodeRecipientPayloads, ['json']);

/**
 * Unpacks a payload.
 * @example
 * for (const entry of decodeRecipientPayloads(payload)) console.log(entry.outputIndex);
 */
export const decodeRecipientPayloads = /* @__PURE__ */ twin<
  (payload: Uint8Array, outputCount?: number) => readonly documents.RecipientPayload[]
>(payloads.decodeRecipientPayloads, ['raw', 'raw'], 'json');

/**
 * The identity of a service, to be pinned by its clients.
 * @example
 * createClient({ url, identity: serviceIdentityForPublicKey(publicKey) });
 */
export const serviceIdentityForPublicKey = /* @__PURE__ */ twin<
  (publicKey: Uint8Array) => ServiceIdentity
>(identity.serviceIdentityForPublicKey, ['raw']);
