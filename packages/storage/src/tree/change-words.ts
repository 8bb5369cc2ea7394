/**
 * Words that list the rows that a batch touched, as they are after it, so that the rows of before can be brought up to date. They
 * are values and not operations: applied twice, or to rows that are newer in part, they lead to the same.
 */
import { larger } from './growing.ts';

export class ChangeWords {
  words: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  length = 0;
  #spare: Uint32Array<ArrayBuffer> = new Uint32Array(0);

  /** Makes room for so many words more. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.words.length) return;
    this.words = larger(this.words, new Uint32Array(Math.max(needed, 2 * this.words.length)));
  }

  /** Call `reserve` before. */
  push(word: number): void {
    this.words[this.length++] = word;
  }

  /** Everything since the last call; its memory is filled again after the next call. */
  take(): Uint32Array<ArrayBuffer> {
    const taken = this.words.subarray(0, this.length);
    [this.words, this.#spare] = [this.#spare, this.words];
    this.length = 0;
    return taken;
  }
}
