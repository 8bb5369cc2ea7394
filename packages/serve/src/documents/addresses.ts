/**
 * Addresses between the text of requests and the hexadecimal form of the ledger. Both ways are remembered for
 * the addresses that are asked for most.
 */
import QuickLRU from 'quick-lru';
import { bytesOf } from 'svc-ledger';
import { decodeAddress, encodeAddress, type Network, toHex } from 'svc-wasm/base';

const REMEMBERED = 16_384;

export class Addresses {
  readonly #network: Network;
  readonly #hex = new QuickLRU<string, string>({ maxSize: REMEMBERED });
  readonly #texts = new QuickLRU<string, string>({ maxSize: REMEMBERED });

  constructor(network: Network) {
    this.#network = network;
  }

  /** Refuses text that is no address of the network. */
  hex(text: string, path = 'address'): string {
    const known = this.#hex.get(text);
    if (known !== undefined) return known;
    const hex = toHex(decodeAddress(text, this.#network, path));
    this.#hex.set(text, hex);
    return hex;
  }

  hexes(texts: readonly string[]): string[] {
    return texts.map((text, index) => this.hex(text, `addresses[${index}]`));
  }

  text(hex: string): string {
    const known = this.#texts.get(hex);
    if (known !== undefined) return known;
    const text = encodeAddress(bytesOf(hex), this.#network);
    this.#texts.set(hex, text);
    return text;
  }
}
