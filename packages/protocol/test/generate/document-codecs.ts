/**
 * Documents and texts, as UTF-8: manifests, trusted sets, recoveries, address proofs, addresses, amounts, payment URIs, phrases
 * and words.
 */
import { createHash } from 'node:crypto';
import { toHex } from '../../src/base/bytes.ts';
import { Fields } from '../../src/base/fields.ts';
import { CONTEXTS, type Context, contextBytes } from '../../src/base/labels.ts';
import { NETWORKS, type Network } from '../../src/base/networks.ts';
import { decodeUtf8, encodeUtf8 } from '../../src/base/utf8.ts';
import { formatRecovery, parseRecovery } from '../../src/cut/recovery.ts';
import { parseTrustedSet, trustedSetJson } from '../../src/cut/trusted-set.ts';
import { init } from '../../src/entry/node.ts';
import { mlDsa65 } from '../../src/kernel/ml-dsa.ts';
import { mnemonicEntropy, mnemonicFromEntropy } from '../../src/keys/mnemonic.ts';
import { createManifest, parseManifest } from '../../src/manifest/manifest.ts';
import { type Rules, ruleRanges } from '../../src/manifest/rules.ts';
import {
  createMultisigDescriptor,
  validateMultisigDescriptor,
} from '../../src/multisig/descriptor.ts';
import { verifyAddressProof } from '../../src/ownership/address-proof.ts';
import { proofMessage, readProofRequest } from '../../src/ownership/proof-request.ts';
import { addressVerificationWords } from '../../src/ownership/verification-words.ts';
import { decodeNetworkAddress, encodeAddress } from '../../src/text/address.ts';
import { keyAddressBytes } from '../../src/text/address-documents.ts';
import { formatAmount, parseAmount } from '../../src/text/amount.ts';
import { formatPaymentUri, parsePaymentUri } from '../../src/text/payment-uri.ts';
import type { Codec } from './codec.ts';
import { anyValidatorSet } from './cut-codecs.ts';
import { Random } from './random.ts';
import { anyAddress } from './transaction-codecs.ts';

await init();

const NETWORK_NAMES = Object.keys(NETWORKS) as Network[];
const SIGNATURE_BYTES = 3309;
/** Making a key takes longer than the rest of a case, so keys come from a small stock. */
const KEYS = Array.from({ length: 16 }, (_, index) =>
  mlDsa65.keygen(new Random(`key ${index}`).bytes(32)),
);

function signed(secretKey: Uint8Array, message: Uint8Array, context: Context): Uint8Array {
  const options = { context: contextBytes(context), random: new Uint8Array(32) };
  return mlDsa65.sign(secretKey, message, options);
}

function anyNumber(random: Random): number {
  return random.chance(5) ? Number.MAX_SAFE_INTEGER : 1 + Number(random.u64() >> 12n);
}

function anyId(random: Random): string {
  return toHex(random.bytes(48));
}

/** What a text is read as must be written as the same text. */
function textCodec(
  name: string,
  generate: (random: Random) => string,
  again: (text: string) => string,
): Codec {
  return {
    name,
    generate: (random) => encodeUtf8(generate(random)),
    again: (bytes) => encodeUtf8(again(decodeUtf8(bytes, name))),
  };
}

function anyManifest(random: Random): string {
  const network = random.pick(NETWORK_NAMES);
  const rules = Object.entries(ruleRanges(network)).map(([name, { min = 0n, max }]) => [
    name,
    random.chance(30) ? random.pick([min, max]) : min + (random.u64() % (max - min + 1n)),
  ]);
  return createManifest(network, random.bytes(48), Object.fromEntries(rules) as Rules).json;
}

function anyTrustedSet(random: Random): string {
  return trustedSetJson({
    network: random.pick(NETWORK_NAMES),
    chainId: random.bytes(48),
    height: random.u64(),
    time: random.u64(),
    cutId: random.bytes(48),
    encodedSet: anyValidatorSet(random),
  });
}

/** What a member signs is written out here as `docs/protocol.md` 8.9 says. */
function anyRecovery(random: Random): string {
  const place = {
    network: random.pick(NETWORK_NAMES),
    chainId: anyId(random),
    height: anyNumber(random),
    cutId: anyId(random),
    timeMillis: anyNumber(random),
  };
  const { network, chainId, height, cutId, timeMillis } = place;
  const keys = new Set(random.list(1, 2, () => random.pick(KEYS)));
  const members = [...keys].map(({ publicKey, secretKey }) => {
    const [validatorId, stake] = [anyId(random), random.amount()];
    const seat = [validatorId, String(stake), toHex(publicKey)];
    const text = JSON.stringify([
      network,
      chainId,
      String(height),
      cutId,
      String(timeMillis),
      [seat],
    ]);
    const message = createHash('sha384').update(`SVC_RECOVERY_V1${text}`).digest();
    const possession = signed(secretKey, new Uint8Array(message), CONTEXTS.recovery);
    return { validatorId, stake, publicKey, possession, consent: random.bytes(SIGNATURE_BYTES) };
  });
  return formatRecovery(place, members);
}

function recoveryAgain(text: string): string {
  const { members, ...place } = parseRecovery(text);
  return formatRecovery(place, members);
}

/** A proof behind the request that it answers. */
function anyAddressProof(random: Random): string {
  const network = random.pick(NETWORK_NAMES);
  const { publicKey, secretKey } = random.pick(KEYS);
  const request = JSON.stringify({
    version: '1',
    network,
    chain_id: anyId(random),
    address: encodeAddress(keyAddressBytes(publicKey), network),
    domain: random.pick(['exchange.example', 'a', 'shop.example:8080', '127.0.0.1:1']),
    nonce: toHex(random.bytes(32)),
    expires_at_millis: String(anyNumber(random)),
  });
  const read = readProofRequest(request);
  const proof = JSON.stringify({
    version: '1',
    nonce: toHex(read.nonce),
    public_key_hex: toHex(publicKey),
    signature_hex: toHex(signed(secretKey, proofMessage(read), CONTEXTS.addressProof)),
  });
  return `${request}\n${proof}`;
}

function addressProofAgain(text: string): string {
  const [request = '', proof = ''] = text.split('\n', 2);
  verifyAddressProof(proof, request, 0);
  const { network, chainId, address, domain, nonce, expiresAtMillis } = readProofRequest(request);
  const fields = Fields.parse(proof, 'proof', [
    'version',
    'nonce',
    'public_key_hex',
    'signature_hex',
  ]);
  const documents = [
    {
      version: '1',
      network,
      chain_id: toHex(chainId),
      address: encodeAddress(address, network),
      domain,
      nonce: toHex(nonce),
      expires_at_millis: String(expiresAtMillis),
    },
    {
      version: '1',
      nonce: toHex(fields.hex('nonce', 32)),
      public_key_hex: toHex(fields.hex('public_key_hex', 1952)),
      signature_hex: toHex(fields.hex('signature_hex', SIGNATURE_BYTES)),
    },
  ];
  return documents.map((document) => JSON.stringify(document)).join('\n');
}

function anyAddressText(random: Random): string {
  const burn = Uint8Array.of(2, ...new Uint8Array(48));
  return encodeAddress(random.chance(5) ? burn : anyAddress(random), random.pick(NETWORK_NAMES));
}

const SHOWN = ['order 7', 'für Æsop', '50 % off & more', '日本語'];

function anyPaymentUri(random: Random): string {
  const address = anyAddress(random);
  return formatPaymentUri(
    JSON.stringify({
      network: 'development',
      address: encodeAddress(address, 'development'),
      ...(random.chance(70) ? { amount: formatAmount(String(random.amount())) } : {}),
      ...(random.chance(50) ? { label: random.pick(SHOWN) } : {}),
      ...(random.chance(50) ? { message: random.pick(SHOWN) } : {}),
    }),
  );
}

function paymentUriAgain(uri: string): string {
  const parsed = JSON.parse(parsePaymentUri(uri, 'development')) as Record<string, string>;
  const { network, address, amount, label, message } = parsed;
  return formatPaymentUri(JSON.stringify({ network, address, amount, label, message }));
}

function anyMultisig(random: Random): string {
  const [threshold, members] = random.pick([[2, 3] as const, [3, 5] as const]);
  const keys = Array.from({ length: members }, () => toHex(random.bytes(1952)));
  return createMultisigDescriptor(String(threshold), JSON.stringify(keys));
}

export const DOCUMENT_CODECS: readonly Codec[] = [
  textCodec('manifest', anyManifest, (text) => parseManifest(text).json),
  textCodec('multisig_descriptor', anyMultisig, validateMultisigDescriptor),
  textCodec('trusted_set', anyTrustedSet, (text) => trustedSetJson(parseTrustedSet(text))),
  textCodec('recovery', anyRecovery, recoveryAgain),
  textCodec('address_proof', anyAddressProof, addressProofAgain),
  textCodec('address', anyAddressText, (text) => {
    const { network, bytes } = decodeNetworkAddress(text);
    return encodeAddress(bytes, network);
  }),
  textCodec(
    'amount',
    (random) => formatAmount(String(random.amount(20_000_000_000_000_000n))),
    (text) => formatAmount(parseAmount(text)),
  ),
  textCodec('payment_uri', anyPaymentUri, paymentUriAgain),
  textCodec(
    'recovery_phrase',
    (random) => mnemonicFromEntropy(random.bytes(32)),
    (text) => mnemonicFromEntropy(mnemonicEntropy(text)),
  ),
  textCodec(
    'verification_words',
    (random) => {
      const address = anyAddressText(random);
      return `${address} ${addressVerificationWords(address)}`;
    },
    (text) => {
      const address = text.split(' ', 1)[0] as string;
      return `${address} ${addressVerificationWords(address)}`;
    },
  ),
];
