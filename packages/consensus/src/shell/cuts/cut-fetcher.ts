/**
 * Evaluates the cuts that the machine asks about, and fetches what is missing for that: the cut itself, its blocks,
 * the precommits that its header names. The proposer is asked first, then others, again and again.
 */
import {
  BLOCKS_PER_REQUEST_MAX,
  type CutId,
  type EncodedCut,
  height as heightOf,
  type Round,
  type SignersClaim,
  type ValidatorIndex,
} from 'svc-consensus/machine';
import { toHex } from 'svc-wasm/base';
import type { Driver } from '../driver.ts';
import type { Speaker } from '../peers/speaker.ts';
import { type BlockBytes, NO_BLOCK_PEERS } from '../ports/blocks.ts';
import type { Evaluation } from '../ports/chain.ts';
import type { KnownCuts } from './known-cuts.ts';

interface PendingCut {
  readonly value: CutId;
  readonly height: number;
  /** The validator that has the missing data; undefined if any may have it. */
  from: ValidatorIndex | undefined;
  isCertified: boolean;
  /** Called instead of giving the machine a verdict. */
  onComplete: (() => void) | undefined;
  tries: number;
  /** Arriving data does not trigger further requests; time does. */
  mayAsk: boolean;
  isEvaluating: boolean;
  /** Data arrived while the cut was being evaluated. */
  isStale: boolean;
  missing: ReadonlySet<string>;
  /** The round of the cut before that the header claims, where no precommit of it is held. */
  claimedRound: Round | undefined;
}

/** Ordinary peers are asked for blocks when validators did not answer. */
const TRIES_BEFORE_PEERS = 2;
const ASKED_AT_ONCE = 2;
/** Of more undecided cuts, those that were proposed longest ago are abandoned until they are proposed again. */
const PENDING_MAX = 16;
const NOTHING: ReadonlySet<string> = new Set();

export class CutFetcher {
  readonly #driver: Driver;
  readonly #cuts: KnownCuts;
  readonly #speaker: Speaker;
  readonly #pending = new Map<CutId, PendingCut>();
  #cancelRetry: (() => void) | undefined;

  constructor(driver: Driver, cuts: KnownCuts, speaker: Speaker) {
    this.#driver = driver;
    this.#cuts = cuts;
    this.#speaker = speaker;
    driver.endings.push(() => this.clear());
  }

  /** Gives the machine a verdict on a cut that a proposal or polka is for; the validator at `from` has it. */
  validate(value: CutId, from: ValidatorIndex): void {
    Object.assign(this.#pendingOf(value), { from, mayAsk: true });
    this.#evaluate(value);
  }

  /**
   * Fetches a decided cut: any peer may have it, and two thirds of the stake vouch for it. The machine gets a
   * verdict, unless `onComplete` is given, which is then called instead.
   */
  fetchCertified(value: CutId, onComplete?: () => void): void {
    const pending = this.#pendingOf(value);
    Object.assign(pending, { isCertified: true, mayAsk: true });
    pending.onComplete = onComplete ?? pending.onComplete;
    this.#evaluate(value);
  }

  /** Data arrived that a cut may be waiting for. */
  evaluateAgain(): void {
    if (this.#pending.size === 0) return;
    for (const value of [...this.#pending.keys()]) this.#evaluate(value);
  }

  isWantedCut(value: CutId): boolean {
    return this.#pending.has(value) && this.#cuts.get(value) === undefined;
  }

  /** Whether a cut waits for the precommits of a round of the height before, of which none is held. */
  isWantedRound(round: Round): boolean {
    for (const { claimedRound } of this.#pending.values()) if (claimedRound === round) return true;
    return false;
  }

  isWantedBlock(id: string): boolean {
    for (const { missing } of this.#pending.values()) if (missing.has(id)) return true;
    return false;
  }

  /** Accepts a block that was asked for. For a certified cut it counts even if the pool would refuse it now. */
  acceptBlock(block: BlockBytes): void {
    const { chain, blocks } = this.#driver.ports;
    const wanting = [...this.#pending.values()].filter(({ missing }) => missing.has(block.id));
    if (wanting.length === 0) return;
    if (wanting.some(({ isCertified }) => isCertified)) {
      chain.offer(block);
      this.evaluateAgain();
      return;
    }
    const answer = blocks.submit(block.header, block.body, this.#isNeededBlock());
    this.#driver.whenReady(answer, () => this.evaluateAgain());
  }

  /** Whether a pending cut, or a cut that the machine holds, names a block. */
  #isNeededBlock(): (id: string) => boolean {
    const { verdicts } = this.#driver.state;
    const needed = new Set<string>();
    for (const value of [...this.#pending.keys(), ...verdicts.keys()])
      for (const id of this.#cuts.get(value)?.content.blockIds ?? []) needed.add(toHex(id));
    return (id) => needed.has(id);
  }

  clear(): void {
    this.#pending.clear();
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }

  #pendingOf(value: CutId): PendingCut {
    const known = this.#pending.get(value);
    if (known !== undefined) {
      this.#pending.delete(value);
      this.#pending.set(value, known);
      return known;
    }
    const pending: PendingCut = {
      value,
      height: this.#driver.height,
      from: undefined,
      isCertified: false,
      onComplete: undefined,
      tries: 0,
      mayAsk: true,
      isEvaluating: false,
      isStale: false,
      missing: NOTHING,
      claimedRound: undefined,
    };
    this.#pending.set(value, pending);
    if (this.#pending.size > PENDING_MAX) this.#giveUpOldest(value);
    return pending;
  }

  #giveUpOldest(except: CutId): void {
    for (const { value, isCertified } of this.#pending.values()) {
      if (isCertified || value === except) continue;
      this.#pending.delete(value);
      return;
    }
  }

  #evaluate(value: CutId): void {
    const pending = this.#pending.get(value);
    if (pending === undefined) return;
    if (pending.isEvaluating) {
      pending.isStale = true;
      return;
    }
    const cut = this.#cuts.get(value);
    if (cut === undefined) {
      this.#askForCut(pending);
      return;
    }
    pending.isEvaluating = true;
    const { isCertified } = pending;
    const answer = this.#driver.ports.chain.evaluate(cut, { isCertified });
    this.#driver.whenReady(answer, (evaluation) => {
      pending.isEvaluating = false;
      const { isStale } = pending;
      pending.isStale = false;
      if (this.#pending.get(value) === pending) this.#conclude(pending, cut, evaluation);
      if (isStale) this.#evaluate(value);
    });
  }

  #conclude(pending: PendingCut, cut: EncodedCut, evaluation: Evaluation): void {
    const { diary } = this.#driver;
    if (evaluation.type === 'fault') {
      diary.judgedInvalid(pending.height, evaluation.reason);
      this.#settle(pending, 'invalid');
    } else if (evaluation.type === 'missing') {
      pending.missing = new Set(evaluation.blocks);
      diary.waitsFor(pending.height, evaluation.what);
      this.#askForBlocks(pending);
    } else if (pending.isCertified) this.#settle(pending, 'valid');
    else this.#checkSigners(pending, cut);
  }

  /** The first cut has no signers of a parent; of later ones the signers must be known, here or by a polka. */
  #checkSigners(pending: PendingCut, { fields }: EncodedCut): void {
    const { rules, diary, state } = this.#driver;
    const claim = { round: fields.previousRound as Round, signers: fields.previousSigners };
    const isCheckable = state.previous !== undefined || fields.height === 1n;
    const verdict = isCheckable ? rules.checkPreviousSigners(state.previous, claim) : undefined;
    if (verdict?.type === 'invalid') {
      diary.judgedInvalid(pending.height, `previous signers: ${verdict.reason}`);
      this.#settle(pending, 'invalid');
    } else if (verdict?.type === 'held' || rules.isClaimProven(state.keeper, pending.value)) {
      this.#settle(pending, 'valid');
    } else if (verdict === undefined) {
      diary.waitsFor(pending.height, 'the certificate of the cut before');
      this.#retryLater();
    } else {
      diary.waitsFor(pending.height, 'precommits of the cut before');
      this.#askForPrecommits(pending, claim, verdict.signers);
    }
  }

  /** A proposer that does not deliver what its header claims loses its turn. */
  #askForPrecommits(pending: PendingCut, { round, signers }: SignersClaim, missing: bigint): void {
    pending.claimedRound = missing === signers ? round : undefined;
    const height = heightOf(pending.height - 1);
    const request = { kind: 'precommitsRequest', height, round, signers: missing } as const;
    for (const to of this.#chooseHolders(pending)) this.#speaker.send(to, request);
    this.#retryLater();
  }

  #settle(pending: PendingCut, verdict: 'valid' | 'invalid'): void {
    const { value, onComplete } = pending;
    this.#pending.delete(value);
    if (onComplete !== undefined) onComplete();
    else this.#driver.input({ type: 'verdict', height: this.#driver.height, value, verdict });
  }

  #askForCut(pending: PendingCut): void {
    this.#driver.diary.waitsFor(pending.height, 'the cut');
    const { value } = pending;
    const request = { kind: 'cutRequest', height: heightOf(pending.height), value } as const;
    for (const to of this.#chooseHolders(pending)) this.#speaker.send(to, request);
    this.#retryLater();
  }

  #askForBlocks(pending: PendingCut): void {
    const ids = [...pending.missing];
    const holders = ids.length === 0 ? [] : this.#chooseHolders(pending);
    for (let at = 0; at < ids.length; at += BLOCKS_PER_REQUEST_MAX) {
      const part = ids.slice(at, at + BLOCKS_PER_REQUEST_MAX);
      for (const to of holders) this.#speaker.send(to, { kind: 'blocksRequest', ids: part });
    }
    if (holders.length > 0 && pending.tries > TRIES_BEFORE_PEERS) this.#askPeers(ids);
    this.#retryLater();
  }

  #askPeers(ids: readonly string[]): void {
    const { peers = NO_BLOCK_PEERS } = this.#driver.ports;
    const timeoutMillis = this.#retryMillis * TRIES_BEFORE_PEERS;
    this.#driver.whenReady(peers.fetchBlocks(ids, timeoutMillis), (blocks) => {
      for (const block of blocks) this.acceptBlock(block);
    });
  }

  /** The validators to ask now: at first the one that is known to have it, later others at random. */
  #chooseHolders(pending: PendingCut): string[] {
    if (!pending.mayAsk) return [];
    pending.mayAsk = false;
    pending.tries += 1;
    const holder = pending.from === undefined ? undefined : this.#driver.members[pending.from];
    if (holder === undefined || pending.tries > 1) return this.#speaker.draw(ASKED_AT_ONCE);
    return [holder];
  }

  get #retryMillis(): number {
    return this.#driver.rules.timing.antiEntropyMs;
  }

  #retryLater(): void {
    if (this.#cancelRetry !== undefined) return;
    this.#cancelRetry = this.#driver.ports.clock.after(this.#retryMillis, () => {
      this.#cancelRetry = undefined;
      for (const pending of this.#pending.values()) pending.mayAsk = true;
      this.evaluateAgain();
    });
  }
}
