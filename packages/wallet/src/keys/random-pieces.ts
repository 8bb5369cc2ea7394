/**
 * Random bytes in pieces of one length, drawn for many pieces at once: asking the system takes longer than anything that
 * is done with 32 bytes. No piece is lent twice, and each is wiped when it was used.
 */
import { wipe } from 'svc-wasm/base';

/** Pieces that are drawn at once: as many as a group of payments mostly needs. */
const PIECES = 16;

export class RandomPieces {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #length: number;
  #next: number;

  constructor(length: number) {
    this.#bytes = new Uint8Array(PIECES * length);
    this.#length = length;
    this.#next = this.#bytes.length;
  }

  /** Lends a piece for as long as the function runs. */
  use(work: (piece: Uint8Array) => void): void {
    if (this.#next === this.#bytes.length) {
      crypto.getRandomValues(this.#bytes);
      this.#next = 0;
    }
    const piece = this.#bytes.subarray(this.#next, this.#next + this.#length);
    this.#next += this.#length;
    try {
      work(piece);
    } finally {
      wipe(piece);
    }
  }
}
