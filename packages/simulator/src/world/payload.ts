/**
 * What travels between nodes of the simulation.
 */
import type { Bitmap, CutId, Height, PeerMessage, Round } from 'svc-finality';
import type { Cut } from './cut.ts';

export type Payload =
  | {
      readonly type: 'message';
      readonly message: PeerMessage;
      /** The header that goes with a proposal or a decision. */
      readonly cut: Cut | undefined;
      readonly withBodies: boolean;
    }
  | {
      readonly type: 'polkaRequest';
      readonly height: Height;
      readonly round: Round;
      readonly value: CutId;
    }
  | {
      readonly type: 'precommitsRequest';
      readonly height: Height;
      readonly round: Round;
      readonly signers: Bitmap;
    }
  | { readonly type: 'cutRequest'; readonly value: CutId }
  | { readonly type: 'cut'; readonly cut: Cut };

const SIGNATURE_BYTES = 3309;
const VOTE_BYTES = 3440;
const CERTIFICATE_BYTES = 116;

/** Bytes on the wire, as the layouts of the protocol have them. */
export function payloadBytes(payload: Payload): number {
  if (payload.type !== 'message') return 100;
  const { message } = payload;
  switch (message.kind) {
    case 'prevote':
    case 'precommit':
      return VOTE_BYTES;
    case 'proposal':
      return VOTE_BYTES + 462 + 64 * 48;
    case 'summary':
      return 24 + 20 * message.rounds.length;
    case 'commitCertificate':
    case 'polkaCertificate':
      return CERTIFICATE_BYTES + SIGNATURE_BYTES * message.signatures.length;
  }
}
