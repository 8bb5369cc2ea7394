/**
 * Texts and JSON documents from outside. What is accepted must have one canonical form that is
 * accepted again and means the same.
 */

import { toHex } from '../src/base/bytes.ts';
import { parseJson } from '../src/base/json.ts';
import { mnemonicEntropy, mnemonicFromEntropy } from '../src/keys/mnemonic.ts';
import { validateManifest } from '../src/manifest/manifest.ts';
import { readPaymentList } from '../src/messenger/payments.ts';
import {
  createMultisigDescriptor,
  validateMultisigDescriptor,
} from '../src/multisig/descriptor.ts';
import { addressVerificationWords } from '../src/ownership/verification-words.ts';
import {
  decodeRecipientPayloads,
  encodeRecipientPayloads,
} from '../src/payload/recipient-payloads.ts';
import { decodeNetworkAddress, encodeAddress } from '../src/text/address.ts';
import { formatAmount, parseAmount } from '../src/text/amount.ts';
import { formatPaymentUri, parsePaymentUri } from '../src/text/payment-uri.ts';
import { encodeTransactionBody } from '../src/transaction/encode-body.ts';
import { inspectTransactionBody } from '../src/transaction/inspect-body.ts';
import type { Codec } from '../test/generate/codec.ts';
import { CODECS } from '../test/generate/codecs.ts';
import { Random } from '../test/generate/random.ts';
import { MANIFEST } from '../test/generate/transaction-codecs.ts';
import { seededBytes } from '../test/seeded-bytes.ts';
import { operationRequests, payment, person } from '../test/transaction-fixture.ts';
import type { Target } from './target.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function textTarget(
  name: string,
  share: number,
  seeds: readonly string[],
  run: (text: string) => void,
): Target {
  return {
    name,
    share,
    seeds: seeds.map((seed) => encoder.encode(seed)),
    run: (input) => run(decoder.decode(input)),
  };
}

function expectSame(found: string, expected: string): void {
  if (found !== expected) throw new Error(`expected ${expected}, found ${found}`);
}

const ADDRESSES = [0, 1, 2].map((index) => person(index).address);
const KEYS = [0, 1, 2].map((index) => toHex(person(index).publicKey));

function checkUri(uri: string): void {
  const parsed = parsePaymentUri(uri, 'development');
  const { network, address, amount, label, message } = JSON.parse(parsed) as Record<string, string>;
  const formatted = formatPaymentUri(JSON.stringify({ network, address, amount, label, message }));
  expectSame(parsePaymentUri(formatted, 'development'), parsed);
}

function checkRequest(text: string): void {
  const body = encodeTransactionBody(text, MANIFEST.json);
  const { network, transaction_id, ...request } = JSON.parse(
    inspectTransactionBody(body, MANIFEST.json),
  );
  expectSame(toHex(encodeTransactionBody(JSON.stringify(request), MANIFEST.json)), toHex(body));
}

function paymentList(): string {
  const messages = CODECS.find(({ name }) => name === 'messenger_payload') as Codec;
  const random = new Random('payment list');
  const payments = Array.from({ length: 4 }, (_, index) => ({
    transaction_id: toHex(random.bytes(48)),
    height: String(index),
    sender_address: ADDRESSES[index % 2],
    recipient_address: ADDRESSES[(index + 1) % 2],
    payload_hex: toHex(messages.generate(random)),
  }));
  return JSON.stringify({ network: 'development', own_addresses: [ADDRESSES[0]], payments });
}

const ENTRIES = '[{"output_index":"0","text":"order 7"},{"output_index":"5","bytes_hex":"c0ffee"}]';

export const TEXT_TARGETS: readonly Target[] = [
  textTarget('recipient_entries', 10, [ENTRIES], (text) => {
    const payload = encodeRecipientPayloads(text);
    expectSame(toHex(encodeRecipientPayloads(decodeRecipientPayloads(payload))), toHex(payload));
  }),
  textTarget('messenger_payments', 2, [paymentList()], (text) => {
    readPaymentList(text);
  }),
  textTarget(
    'json',
    20,
    ['{"a":[1,-2,null,true,"\\u00e4\\n"],"b":{"c":""}}', '[]', '"x"'],
    (text) => {
      const value = parseJson(text);
      expectSame(JSON.stringify(parseJson(JSON.stringify(value))), JSON.stringify(value));
    },
  ),
  textTarget('address', 20, [...ADDRESSES, (ADDRESSES[0] as string).toUpperCase()], (text) => {
    const { network, bytes } = decodeNetworkAddress(text);
    expectSame(encodeAddress(bytes, network), text.toLowerCase());
    addressVerificationWords(text);
  }),
  textTarget(
    'amount',
    20,
    ['0', '1.25', '200000000', '0.00000001', '199999999.99999999'],
    (text) => {
      const atoms = parseAmount(text);
      expectSame(parseAmount(formatAmount(atoms)), atoms);
    },
  ),
  textTarget(
    'payment_uri',
    5,
    [
      `svc:${ADDRESSES[0]}`,
      `svc:${ADDRESSES[1]}?amount=1.25&label=Caf%C3%A9&message=order%207`,
      `SVC:${ADDRESSES[2]}?amount=0.5&other=x`,
    ],
    checkUri,
  ),
  textTarget('mnemonic', 5, [mnemonicFromEntropy(seededBytes('entropy', 32))], (text) => {
    mnemonicFromEntropy(mnemonicEntropy(text));
  }),
  textTarget('manifest', 5, [MANIFEST.json], (text) => {
    const canonical = validateManifest(text);
    expectSame(validateManifest(canonical), canonical);
  }),
  textTarget('descriptor', 3, [createMultisigDescriptor('2', JSON.stringify(KEYS))], (text) => {
    const canonical = validateMultisigDescriptor(text);
    expectSame(validateMultisigDescriptor(canonical), canonical);
  }),
  textTarget(
    'transaction_request',
    5,
    [
      JSON.stringify(payment()),
      ...operationRequests().map((operation) => JSON.stringify(payment({ operation }))),
    ],
    checkRequest,
  ),
];
