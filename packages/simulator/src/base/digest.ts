/**
 * A running digest of everything that happened: the same seed must give the same digest twice.
 */
export class Digest {
  #low = 0x811c_9dc5;
  #high = 0x1234_5678;

  mix(value: number): void {
    this.#low = Math.imul(this.#low ^ value, 0x0100_0193);
    this.#high = (Math.imul(this.#high, 0x85eb_ca6b) + (this.#low >>> 7)) | 0;
  }

  mixText(text: string): void {
    for (let at = 0; at < text.length; at++) this.mix(text.charCodeAt(at));
  }

  toString(): string {
    const half = (value: number) => (value >>> 0).toString(16).padStart(8, '0');
    return half(this.#high) + half(this.#low);
  }
}
