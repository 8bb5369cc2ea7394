/**
 * Answers about balances that were given before. Who waits for a payment asks again and again, and most cuts
 * change none of the balances that are asked for: an answer holds until a cut touches its address. Only the
 * height in it moves.
 */
import type { Balance } from 'svc-storage';
import type { Chain, FinalizedCut } from '../../ports/chain.ts';

/** The most answers kept; each takes about 400 bytes. */
const REMEMBERED_MAX = 65_536;

export interface KnownAnswer {
  readonly height: number;
  readonly text: string;
}

interface Remembered {
  /** The answer at the height at which it was last given; asking again at that height makes nothing new. */
  answer: KnownAnswer;
  /** How much of its text comes before the height. */
  readonly headLength: number;
  isCurrent: boolean;
}

type WatchedChain = Pick<Chain, 'head' | 'finalized'>;

export class BalanceMemory {
  readonly #byText = new Map<string, Remembered>();
  readonly #byHex = new Map<string, Remembered>();
  readonly #limit: number;
  readonly #stop: () => void;
  #height: number;

  constructor({ head, finalized }: WatchedChain, limit = REMEMBERED_MAX) {
    this.#height = head.height;
    this.#limit = limit;
    this.#stop = finalized.on((cut) => this.#follow(cut));
  }

  /** The answer kept for an address as it was asked for, if it is still current. */
  answer(address: string): KnownAnswer | undefined {
    const known = this.#byText.get(address);
    if (known === undefined) return undefined;
    if (!known.isCurrent) {
      this.#byText.delete(address);
      return undefined;
    }
    if (known.answer.height !== this.#height) this.#move(known);
    return known.answer;
  }

  /** The answer for a balance that was read at a height; it is kept if that is the height of the last cut. */
  remember(address: string, hex: string, balance: Balance, height: number): KnownAnswer {
    const head = headOf(address, balance);
    const answer = { height, text: `${head}${height}}` };
    if (height === this.#height) {
      this.#keep(address, hex, { answer, headLength: head.length, isCurrent: true });
    }
    return answer;
  }

  close(): void {
    this.#stop();
    this.#byText.clear();
    this.#byHex.clear();
  }

  #move(known: Remembered): void {
    const head = known.answer.text.slice(0, known.headLength);
    known.answer = { height: this.#height, text: `${head}${this.#height}}` };
  }

  #keep(address: string, hex: string, made: Remembered): void {
    if (this.#byText.size >= this.#limit || this.#byHex.size >= this.#limit) {
      this.#byText.clear();
      this.#byHex.clear();
    }
    // The same address in capitals is another text; the one that was asked for last is kept.
    const other = this.#byHex.get(hex);
    if (other !== undefined) other.isCurrent = false;
    this.#byText.set(address, made);
    this.#byHex.set(hex, made);
  }

  #follow({ height, result }: FinalizedCut): void {
    this.#height = height;
    if (this.#byHex.size === 0) return;
    for (const change of result.changes) {
      if (change.table !== 'outputs') continue;
      const address = (change.after ?? change.before)?.address ?? '';
      const known = this.#byHex.get(address);
      if (known === undefined) continue;
      known.isCurrent = false;
      this.#byHex.delete(address);
    }
  }
}

/** The answer up to its height. Nothing needs to be escaped: a decoded address is letters and digits. */
function headOf(address: string, { amount, outputs }: Balance): string {
  return `{"api_version":1,"address":"${address}","balance":"${amount}","utxos":${outputs},"indexed_height":`;
}
