/**
 * Judges the cuts that the machine asks about, and gets what is missing for it: the cut itself, its blocks,
 * the precommits that its header names. The proposer is asked first, then others, again and again.
 */
import {
  BLOCKS_PER_REQUEST_MAX,
  type CutId,
  checkPreviousSigners,
  type EncodedCut,
  type FinalityState,
  height as heightOf,
  type Round,
  type ValidatorIndex,
} from 'svc-finality';
import type { Clock } from '../base/clock.ts';
import type { ChainCore } from '../chain/chain-core.ts';
import type { Evaluation } from '../chain/evaluation.ts';
import type { BlockPool } from '../ports/blocks.ts';
import type { Relay } from '../ports/relay.ts';
import type { HeightDiary } from './height-diary.ts';
import type { HeldCuts } from './held-cuts.ts';
import type { Speaker } from './speaker.ts';

export interface FetcherPorts {
  readonly chain: ChainCore;
  readonly blocks: Pick<BlockPool, 'submit'>;
  readonly relay: Relay;
  readonly cuts: HeldCuts;
  readonly speaker: Speaker;
  readonly diary: HeightDiary;
  readonly clock: Clock;
  readonly retryMillis: number;
  readonly state: () => FinalityState;
  readonly onVerdict: (value: CutId, verdict: 'valid' | 'invalid') => void;
  readonly onFatal: (error: unknown) => void;
}

interface Pending {
  readonly value: CutId;
  readonly height: number;
  /** Who holds what is missing; undefined if anybody may. */
  from: ValidatorIndex | undefined;
  isCertified: boolean;
  tries: number;
  /** What comes in does not make it ask again for the rest; time does. */
  mayAsk: boolean;
  isJudging: boolean;
  /** Something came while it was being judged. */
  isStale: boolean;
  missing: ReadonlySet<string>;
}

/** Ordinary peers are asked for blocks when validators did not answer. */
const TRIES_BEFORE_PEERS = 2;
const ASKED_AT_ONCE = 2;
/** Of more cuts that nobody gives, the oldest are given up until they are proposed again. */
const PENDING_MAX = 16;

export class CutFetcher {
  readonly #ports: FetcherPorts;
  readonly #pending = new Map<CutId, Pending>();
  #cancelRetry: (() => void) | undefined;

  constructor(ports: FetcherPorts) {
    this.#ports = ports;
  }

  /** A cut that a proposal or polka is for; `from` holds it. */
  judge(value: CutId, from: ValidatorIndex): void {
    const known = this.#pending.get(value);
    if (known === undefined) this.#add(value, from, false);
    else Object.assign(known, { from, mayAsk: true });
    this.#look(value);
  }

  /** A cut that is decided: anybody may have it, and two thirds vouch for it. */
  fetchCertified(value: CutId): void {
    const known = this.#pending.get(value);
    if (known === undefined) this.#add(value, undefined, true);
    else Object.assign(known, { isCertified: true, mayAsk: true });
    this.#look(value);
  }

  /** Something came that a cut may have waited for. */
  lookAgain(): void {
    for (const value of [...this.#pending.keys()]) this.#look(value);
  }

  isWantedCut(value: CutId): boolean {
    return this.#pending.has(value) && this.#ports.cuts.get(value) === undefined;
  }

  isWantedBlock(id: string): boolean {
    for (const { missing } of this.#pending.values()) if (missing.has(id)) return true;
    return false;
  }

  /** A block that was asked for. For a certified cut it counts even if the pool would not have it now. */
  async take(id: string, header: Uint8Array, body: Uint8Array): Promise<void> {
    const { chain, blocks } = this.#ports;
    const wanted = [...this.#pending.values()].filter(({ missing }) => missing.has(id));
    if (wanted.length === 0) return;
    if (wanted.some(({ isCertified }) => isCertified)) chain.offer({ header, body });
    else await blocks.submit(header, body);
    this.lookAgain();
  }

  clear(): void {
    this.#pending.clear();
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }

  #add(value: CutId, from: ValidatorIndex | undefined, isCertified: boolean): void {
    const { height } = this.#ports.state().context;
    const missing = new Set<string>();
    const asked = { value, height, from, isCertified, tries: 0, mayAsk: true, missing };
    this.#pending.set(value, { ...asked, isJudging: false, isStale: false });
    if (this.#pending.size <= PENDING_MAX) return;
    for (const other of this.#pending.values()) {
      if (other.isCertified || other.value === value) continue;
      this.#pending.delete(other.value);
      return;
    }
  }

  #look(value: CutId): void {
    const pending = this.#pending.get(value);
    if (pending === undefined) return;
    if (pending.isJudging) {
      pending.isStale = true;
      return;
    }
    pending.isJudging = true;
    this.#judgeOnce(pending)
      .catch(this.#ports.onFatal)
      .finally(() => {
        pending.isJudging = false;
        if (!pending.isStale) return;
        pending.isStale = false;
        this.#look(value);
      });
  }

  async #judgeOnce(pending: Pending): Promise<void> {
    const { chain, cuts } = this.#ports;
    const cut = cuts.get(pending.value);
    if (cut === undefined) {
      this.#askForCut(pending);
      return;
    }
    const { isCertified } = pending;
    const evaluation = await chain.evaluate(cut, { isCertified });
    if (this.#pending.get(pending.value) !== pending) return;
    this.#conclude(pending, cut, evaluation);
  }

  #conclude(pending: Pending, cut: EncodedCut, evaluation: Evaluation): void {
    if (evaluation.type === 'fault') {
      this.#ports.diary.judgedInvalid(pending.height, evaluation.reason);
      this.#settle(pending, 'invalid');
    } else if (evaluation.type === 'missing') {
      pending.missing = new Set(evaluation.blocks);
      this.#ports.diary.waitsFor(pending.height, evaluation.what);
      this.#askForBlocks(pending);
    } else if (pending.isCertified) this.#settle(pending, 'valid');
    else this.#checkSigners(pending, cut);
  }

  /** Of the first cut nobody signed the one before; of later ones it must be known who did. */
  #checkSigners(pending: Pending, { fields }: EncodedCut): void {
    const { previous } = this.#ports.state();
    const isFirst = fields.height === 1n;
    if (previous === undefined && !isFirst) {
      this.#ports.diary.waitsFor(pending.height, 'the certificate of the cut before');
      return;
    }
    const round = fields.previousRound as Round;
    const claim = { round, signers: fields.previousSigners };
    const verdict = checkPreviousSigners(previous, claim);
    if (verdict.type === 'held') {
      this.#settle(pending, 'valid');
    } else if (verdict.type === 'invalid') {
      this.#ports.diary.judgedInvalid(pending.height, `previous signers: ${verdict.reason}`);
      this.#settle(pending, 'invalid');
    } else {
      this.#ports.diary.waitsFor(pending.height, 'precommits of the cut before');
      const height = heightOf(pending.height - 1);
      const request = {
        kind: 'precommitsRequest',
        height,
        round,
        signers: verdict.signers,
      } as const;
      for (const to of this.#holders(pending)) this.#ports.speaker.send(to, request);
      this.#retryLater();
    }
  }

  #settle(pending: Pending, verdict: 'valid' | 'invalid'): void {
    this.#pending.delete(pending.value);
    this.#ports.onVerdict(pending.value, verdict);
  }

  #askForCut(pending: Pending): void {
    this.#ports.diary.waitsFor(pending.height, 'the cut');
    const { value } = pending;
    const request = { kind: 'cutRequest', height: heightOf(pending.height), value } as const;
    for (const to of this.#holders(pending)) this.#ports.speaker.send(to, request);
    this.#retryLater();
  }

  #askForBlocks(pending: Pending): void {
    const ids = [...pending.missing];
    const holders = ids.length === 0 ? [] : this.#holders(pending);
    for (let at = 0; at < ids.length; at += BLOCKS_PER_REQUEST_MAX) {
      const part = ids.slice(at, at + BLOCKS_PER_REQUEST_MAX);
      for (const to of holders) this.#ports.speaker.send(to, { kind: 'blocksRequest', ids: part });
    }
    if (holders.length > 0 && pending.tries > TRIES_BEFORE_PEERS) this.#askPeers(ids);
    this.#retryLater();
  }

  #askPeers(ids: readonly string[]): void {
    const { relay, retryMillis, onFatal } = this.#ports;
    const taken = relay.fetchBlocks(ids, retryMillis * TRIES_BEFORE_PEERS).then(async (blocks) => {
      for (const { id, header, body } of blocks) await this.take(id, header, body);
    });
    taken.catch(onFatal);
  }

  /** Whom to ask now: the first time who is said to hold it, later others at random. */
  #holders(pending: Pending): string[] {
    const { speaker } = this.#ports;
    if (!pending.mayAsk) return [];
    pending.mayAsk = false;
    pending.tries += 1;
    const { from } = pending;
    if (from === undefined || pending.tries > 1) return speaker.draw(ASKED_AT_ONCE);
    const holder = speaker.idOf(from);
    return holder === undefined ? speaker.draw(ASKED_AT_ONCE) : [holder];
  }

  #retryLater(): void {
    const { clock, retryMillis } = this.#ports;
    if (this.#cancelRetry !== undefined) return;
    this.#cancelRetry = clock.after(retryMillis, () => {
      this.#cancelRetry = undefined;
      for (const pending of this.#pending.values()) pending.mayAsk = true;
      this.lookAgain();
    });
  }
}
