/**
 * Multisig packages of both tags, recipient payloads and messenger payloads.
 */
import { concatBytes, toHex } from '../../src/base/bytes.ts';
import {
  decodeMessengerPayload,
  encodeAccept,
  encodeMessageHead,
  encodeRequest,
} from '../../src/messenger/payload.ts';
import type { MultisigPackage } from '../../src/multisig/package-codec.ts';
import { decodePackage, encodePackage } from '../../src/multisig/package-codec.ts';
import {
  decodeRecipientPayloads,
  encodeRecipientPayloads,
} from '../../src/payload/recipient-payloads.ts';
import { decodeBody } from '../../src/transaction/decode.ts';
import type { Codec } from './codec.ts';
import type { Random } from './random.ts';
import { anyDescriptor, MANIFEST, randomBody } from './transaction-codecs.ts';

function plainBody(random: Random): { body: Uint8Array; inputs: number; signed: number } {
  for (;;) {
    const body = randomBody(random, 3);
    const table = decodeBody(body, MANIFEST);
    if (table.operation !== 0) continue;
    return { body, inputs: table.inputCount, signed: table.signedInputs.length };
  }
}

function anyPackage(random: Random, profile: MultisigPackage['profile']): Uint8Array {
  const { body, inputs, signed } = plainBody(random);
  const descriptor = anyDescriptor(random);
  const { threshold, members } = descriptor;
  const signers = new Set(random.list(0, threshold, () => random.below(members.length)));
  const lists = [...signers].map(
    (member) => [member, Array.from({ length: signed }, () => random.bytes(3309))] as const,
  );
  const amounts = Array.from({ length: inputs }, () => random.amount());
  return encodePackage({ profile, body, descriptor, amounts, signatures: new Map(lists) });
}

function anyPayloads(random: Random): Uint8Array {
  const indexes = [...new Set(random.list(1, 4, () => random.below(16)))].sort((a, b) => a - b);
  const entries = indexes.map((index) => ({
    output_index: index.toString(),
    ...(random.chance(50)
      ? { text: random.pick(['order 7', 'für Æsop', 'a']) }
      : { bytes_hex: toHex(random.bytes(random.between(1, 40))) }),
  }));
  return encodeRecipientPayloads(JSON.stringify(entries));
}

function anyMessage(random: Random): Uint8Array {
  const kind = random.pick(['request', 'accept', 'message'] as const);
  if (kind === 'request') return encodeRequest(random.bytes(32), random.bytes(1184));
  if (kind === 'accept') {
    return encodeAccept(random.bytes(24), random.bytes(1088), random.bytes(32));
  }
  const head = encodeMessageHead({
    chatId: random.bytes(24),
    direction: random.pick([0, 1]),
    sequence: random.u32(),
    nonce: random.bytes(24),
  });
  return concatBytes(head, random.bytes(random.pick([64, 128, 256, 512]) + 16));
}

function messageAgain(bytes: Uint8Array): Uint8Array {
  const payload = decodeMessengerPayload(bytes);
  if (payload.kind === 'request') return encodeRequest(payload.nonce, payload.publicKey);
  if (payload.kind === 'message') return concatBytes(encodeMessageHead(payload), payload.sealed);
  return encodeAccept(payload.chatId, payload.ciphertext, payload.confirmation);
}

export const PACKAGE_CODECS: readonly Codec[] = [
  ...(['multisig_inline', 'multisig_referenced'] as const).map((profile) => ({
    name: `package_${profile}`,
    generate: (random: Random) => anyPackage(random, profile),
    again: (bytes: Uint8Array) => encodePackage(decodePackage(bytes)),
  })),
  {
    name: 'recipient_payloads',
    generate: anyPayloads,
    again: (bytes) => encodeRecipientPayloads(decodeRecipientPayloads(bytes)),
  },
  { name: 'messenger_payload', generate: anyMessage, again: messageAgain },
];
