/**
 * Messages between validators as the bytes of the protocol.
 */
import { hash } from 'node:crypto';
import {
  type BlockMessage,
  decodeMessage,
  encodeMessage,
  signedBytesOf,
  type UnsignedMessage,
  type WireContext,
  type WireMessage,
} from 'svc-consensus/machine';
import type { MessageCodec } from 'svc-consensus/shell';
import { SvcError, toHex } from 'svc-wasm/base';
import { decodeBlockHeader } from 'svc-wasm/protocol';

export class WireCodec implements MessageCodec {
  readonly #wire: WireContext;

  constructor(wire: WireContext) {
    this.#wire = wire;
  }

  encode(message: WireMessage): Uint8Array {
    return encodeMessage(this.#wire, message);
  }

  decode(packet: Uint8Array): WireMessage {
    return decodeMessage(this.#wire, packet);
  }

  sizeOf(packet: Uint8Array): number {
    return packet.length;
  }

  keyOf(packet: Uint8Array): string {
    return hash('sha256', packet, 'base64');
  }

  signedBytes(message: UnsignedMessage): Uint8Array {
    return signedBytesOf(this.#wire, message);
  }

  blockIdOf({ header }: BlockMessage): string | undefined {
    try {
      return toHex(decodeBlockHeader(header, this.#wire.chainId).id);
    } catch (error) {
      if (error instanceof SvcError) return undefined;
      throw error;
    }
  }
}
