/**
 * The transport between validators. It carries packets: bytes in a node, a typed message in a simulation. A validator
 * is identified by its id. Delivery is not guaranteed: the machine repairs losses by itself.
 */
import type {
  BlockMessage,
  SignatureVerdict,
  UnsignedMessage,
  WireMessage,
} from 'svc-consensus/machine';
import type { Later } from '../base/later.ts';

export interface OverlayMember {
  readonly validatorId: string;
  /** As registered on the chain. */
  readonly endpoint: Uint8Array;
}

/** The connection that a packet came over. */
export interface PacketLink {
  /** The validator at its other end: the author of the packet, or a forwarder that names the author. */
  readonly validatorId: string;
  /** Ends the connection, because of something that its other end must have known to be wrong. */
  readonly blame: (reason: string) => void;
}

/** `from` is the claimed author of a packet. There is no link between validators of one process. */
export type OverlayListener<Packet = Uint8Array> = (
  from: string,
  packet: Packet,
  link?: PacketLink,
) => void;

export interface ValidatorOverlay<Packet = Uint8Array> {
  /** Validators with a direct connection now. */
  neighbours(): readonly string[];
  broadcast(packet: Packet): void;
  send(validatorId: string, packet: Packet): void;
  /** Replaces the listener. */
  listen(listener: OverlayListener<Packet>): void;
  /** The members of the committee now and in the next epoch. */
  setCommittee(members: readonly OverlayMember[]): void;
}

export interface MessageCodec<Packet = Uint8Array> {
  encode(message: WireMessage): Packet;
  /** Throws an `SvcError` for a packet that is no message of this chain. */
  decode(packet: Packet): WireMessage;
  sizeOf(packet: Packet): number;
  /** Returns equal keys only for equal packets. */
  keyOf(packet: Packet): unknown;
  /** The bytes that a validator's key signs. */
  signedBytes(message: UnsignedMessage): Uint8Array;
  /** Undefined if the header is none of this chain. */
  blockIdOf(message: BlockMessage): string | undefined;
}

/** Signatures of messages between validators, checked here or in other threads. */
export interface VoteChecks<Packet = Uint8Array> {
  /** Registers the encoded set of validators whose signatures will come. */
  learnSet(encoded: Uint8Array): void;
  /** One verdict for each packet, in their order. */
  verify(packets: readonly Packet[]): Later<readonly SignatureVerdict[]>;
}
