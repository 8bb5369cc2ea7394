/**
 * Answers validators that ask for cuts, blocks and decisions, from memory or from the store, within what each
 * of them may ask for.
 */
import type { CutRequest } from 'svc-consensus/machine';
import { SvcError } from 'svc-wasm/base';
import { type Later, whenReady } from '../base/later.ts';
import type { KnownCuts } from '../cuts/known-cuts.ts';
import type { Driver } from '../driver.ts';
import type { BlockBytes } from '../ports/blocks.ts';
import type { Speaker } from './speaker.ts';

/** Answers to one validator in one second; a whole cut of blocks takes 32 of them. */
const ANSWERS_PER_SECOND_MAX = 96;
const SECOND = 1_000;

export class RequestServer {
  readonly #driver: Driver;
  readonly #cuts: KnownCuts;
  readonly #speaker: Speaker;
  readonly #given = new Map<string, number>();
  #second = 0;

  constructor(driver: Driver, cuts: KnownCuts, speaker: Speaker) {
    this.#driver = driver;
    this.#cuts = cuts;
    this.#speaker = speaker;
  }

  /** Answers are counted for the asker: the sender of the request, or its forwarder. */
  sendCut(to: string, { height, value }: CutRequest, asker: string): void {
    if (!this.#mayAnswer(asker)) return;
    const known = this.#cuts.get(value) ?? this.#driver.ports.chain.storedCut(height, value);
    this.#answer(known, (cut) => {
      if (cut !== undefined) this.#speaker.send(to, { kind: 'cut', cut });
    });
  }

  sendBlocks(to: string, ids: readonly string[], asker: string): void {
    if (!this.#mayAnswer(asker)) return;
    const { blocks, chain } = this.#driver.ports;
    const missing: string[] = [];
    for (const id of ids) {
      const pooled = blocks.get(id);
      if (pooled === undefined) missing.push(id);
      else this.#sendBlock(to, pooled.bytes);
    }
    if (missing.length === 0) return;
    this.#answer(chain.storedBlocks(missing), (found) => {
      for (const block of found) this.#sendBlock(to, block);
    });
  }

  /** Sends the decision of an earlier height. */
  sendDecision(to: string, height: number, asker: string): void {
    if (!this.#mayAnswer(asker)) return;
    this.#answer(this.#driver.ports.chain.storedDecision(height), (decision) => {
      if (decision !== undefined) this.#speaker.send(to, { kind: 'decision', ...decision });
    });
  }

  #sendBlock(to: string, { header, body }: BlockBytes): void {
    this.#speaker.send(to, { kind: 'block', header, body });
  }

  #mayAnswer(asker: string): boolean {
    const second = Math.floor(this.#driver.ports.clock.monotonic() / SECOND);
    if (second !== this.#second) this.#given.clear();
    this.#second = second;
    const given = this.#given.get(asker) ?? 0;
    if (given >= ANSWERS_PER_SECOND_MAX) return false;
    this.#given.set(asker, given + 1);
    return true;
  }

  #answer<T>(found: Later<T>, give: (found: T) => void): void {
    whenReady(found, give, (error) => {
      // The set of an old height may no longer be known here.
      if (!(error instanceof SvcError)) this.#driver.fail(error);
    });
  }
}
