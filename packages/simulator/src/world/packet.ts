/**
 * What travels between nodes of the simulation: messages of the protocol as typed values, without bytes. The codec
 * refuses what the decoder of the real bytes refuses.
 */
import type {
  BlockMessage,
  CutId,
  SignatureVerdict,
  SignedMessage,
  UnsignedMessage,
  VoteDigest,
  WireMessage,
} from 'svc-consensus/machine';
import type { BlockBytes, MessageCodec, VoteChecks } from 'svc-consensus/shell';
import { SvcError } from 'svc-wasm/base';
import type { Chain } from './chain.ts';
import type { Keyring } from './keyring.ts';
import type { Protocol } from './protocol.ts';

const SIGNATURE_BYTES = 3309;
const VOTE_BYTES = 3440;
const CERTIFICATE_BYTES = 116;
const CUT_BYTES = 462 + 64 * 48;
const REQUEST_BYTES = 100;
const NO_BYTES = new Uint8Array(0);
const HOLDS: SignatureVerdict = { holds: true };
const FORGED: SignatureVerdict = { holds: false, code: 'bad_signature' };

/** The message that a validator signed, alone or inside a proposal with its cut. */
export function signedPart(message: WireMessage): SignedMessage | undefined {
  switch (message.kind) {
    case 'prevote':
    case 'precommit':
    case 'proposal':
      return message;
    case 'proposalWithCut':
      return message.proposal;
    default:
      return undefined;
  }
}

/** The height of what was signed in a packet, if anything was. */
export function setHeightOf(message: WireMessage): number | undefined {
  switch (message.kind) {
    case 'proposalWithCut':
      return message.proposal.height;
    case 'decision':
      return message.certificate.height;
    case 'evidence':
      return message.first.height;
    case 'prevote':
    case 'precommit':
    case 'proposal':
    case 'commitCertificate':
    case 'polkaCertificate':
      return message.height;
    default:
      return undefined;
  }
}

/** The same packet with another signed message in it. */
export function withSigned(message: WireMessage, signed: SignedMessage): WireMessage {
  if (message.kind !== 'proposalWithCut' || signed.kind !== 'proposal') return signed;
  return { ...message, proposal: signed };
}

/** Bytes on the wire, as the layouts of the protocol have them. */
export function packetBytes(message: WireMessage): number {
  switch (message.kind) {
    case 'prevote':
    case 'precommit':
    case 'proposal':
      return VOTE_BYTES;
    case 'proposalWithCut':
      return VOTE_BYTES + CUT_BYTES;
    case 'voteReport':
      return 2 + 12 * message.heard.length + message.digests.reduce(digestBytes, 0);
    case 'evidence':
      return 2 * VOTE_BYTES;
    case 'summary':
      return 24 + 20 * message.rounds.length;
    case 'commitCertificate':
    case 'polkaCertificate':
      return CERTIFICATE_BYTES + SIGNATURE_BYTES * message.signatures.length;
    case 'decision':
      return CERTIFICATE_BYTES + SIGNATURE_BYTES * message.certificate.signatures.length;
    default:
      return REQUEST_BYTES;
  }
}

function digestBytes(sum: number, { entries }: VoteDigest): number {
  return sum + 13 + 66 * entries.length;
}

export class PacketCodec implements MessageCodec<WireMessage> {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  encode(message: WireMessage): WireMessage {
    return message;
  }

  decode(message: WireMessage): WireMessage {
    const isForeign =
      (message.kind === 'proposalWithCut' && message.cut.value !== message.proposal.value) ||
      (message.kind === 'decision' && message.cut.value !== message.certificate.value);
    if (isForeign) throw new SvcError('wrong_cut', 'the cut is not the one that was signed');
    return message;
  }

  sizeOf(): number {
    return REQUEST_BYTES;
  }

  keyOf(message: WireMessage): WireMessage {
    return message;
  }

  signedBytes(message: UnsignedMessage): Uint8Array {
    return this.#keyring.signedBytes(message);
  }

  blockIdOf({ header }: BlockMessage): string {
    return String.fromCharCode(...header);
  }
}

/** All blocks of a cut count as one, which is named after the cut. */
export function bodiesOf(value: CutId): BlockBytes {
  const header = new Uint8Array(value.length);
  for (let at = 0; at < value.length; at++) header[at] = value.charCodeAt(at);
  return { id: value, header, body: NO_BYTES };
}

export class KeyringChecks implements VoteChecks<WireMessage> {
  readonly #keyring: Keyring;
  readonly #chain: Chain;
  readonly #protocol: Protocol;

  constructor(keyring: Keyring, chain: Chain, protocol: Protocol) {
    this.#keyring = keyring;
    this.#chain = chain;
    this.#protocol = protocol;
  }

  learnSet(): void {}

  verify(messages: readonly WireMessage[]): readonly SignatureVerdict[] {
    return messages.map((message) => (this.#holds(message) ? HOLDS : FORGED));
  }

  #holds(message: WireMessage): boolean {
    const { verify } = this.#keyring;
    const signed = signedPart(message);
    if (signed !== undefined) return verify(signed, signed.signature);
    if (message.kind === 'evidence')
      return (
        verify(message.first, message.first.signature) &&
        verify(message.second, message.second.signature)
      );
    const certificate = message.kind === 'decision' ? message.certificate : message;
    if (!('signatures' in certificate)) return false;
    const set = this.#chain.epochAt(certificate.height)?.set;
    if (set === undefined) return false;
    return this.#protocol.checkCertificate(set, certificate, verify) === undefined;
  }
}
