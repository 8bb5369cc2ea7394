/**
 * From one height to the next: makes a decided cut final, follows a chain that others have moved, and begins the
 * height after the head.
 */
import { type CommitCertificate, initialState, NO_ROUND } from 'svc-consensus/machine';
import type { CutFetcher } from '../cuts/cut-fetcher.ts';
import type { KnownCuts } from '../cuts/known-cuts.ts';
import type { Driver } from '../driver.ts';
import type { EvidencePool } from '../evidence/evidence-pool.ts';
import type { VoteExchange } from '../evidence/vote-exchange.ts';
import type { Speaker } from '../peers/speaker.ts';
import type { CutExecution, Evaluation, FinalCut } from '../ports/chain.ts';
import { contextOf, previousOf } from '../start/open-validator.ts';
import type { HeightStart } from './height-start.ts';

export interface HeightParts {
  readonly cuts: KnownCuts;
  readonly fetcher: CutFetcher;
  readonly evidence: EvidencePool;
  readonly exchange: VoteExchange;
  readonly speaker: Speaker;
  readonly start: HeightStart;
}

/** Others have decided a cut that this validator's chain finds invalid. Continuing would fork it off. */
export class DecidedCutFaultError extends Error {
  override readonly name = 'DecidedCutFaultError';
}

/** A chain that others moved is followed after this part of the pace: our own decision usually comes soon. */
const GRACE_PACE_PARTS = 10;
const GRACE_MILLIS_MAX = 250;

export class HeightChange {
  readonly #driver: Driver;
  readonly #parts: HeightParts;
  /** The decision whose cut is being made final. */
  #finishing: CommitCertificate | undefined;
  #helper: string | undefined;
  #cancelFollow: (() => void) | undefined;

  constructor(driver: Driver, parts: HeightParts) {
    this.#driver = driver;
    this.#parts = parts;
    driver.endings.push(() => this.#cancelFollow?.());
  }

  /** Remembers the sender of a decision: that validator is probably further ahead. */
  helpedBy(validatorId: string): void {
    this.#helper = validatorId;
  }

  decide(certificate: CommitCertificate): void {
    this.#finishing = certificate;
    this.#finish(certificate);
  }

  /** Our own decision of a final cut usually comes soon, so the chain is followed only after a while. */
  onFinalized({ height }: FinalCut, isLate: () => boolean): void {
    if (height < this.#driver.height || this.#finishing !== undefined) return;
    if (this.#cancelFollow !== undefined) return;
    const { chain, clock } = this.#driver.ports;
    const grace = Math.min(GRACE_MILLIS_MAX, chain.paceMillis / GRACE_PACE_PARTS);
    this.#cancelFollow = clock.after(grace, () => {
      this.#cancelFollow = undefined;
      this.#driver.attempt(() => this.#follow(isLate()));
    });
  }

  /** Makes a decided cut final and continues; data of the cut that a restart has lost is fetched first. */
  #finish(certificate: CommitCertificate): void {
    const { height, value } = certificate;
    const { chain, onNewRules } = this.#driver.ports;
    if (chain.head.height >= height) {
      this.#goOn();
      return;
    }
    const cut = this.#parts.cuts.get(value);
    if (cut === undefined) {
      this.#fetchCut(certificate);
      return;
    }
    if (cut.fields.protocolVersion > chain.protocolVersion) {
      this.#driver.pause();
      onNewRules?.(height);
      return;
    }
    this.#driver.whenReady(chain.evaluate(cut, { isCertified: true }), (evaluation) => {
      if (chain.head.height >= height) this.#goOn();
      else if (evaluation.type === 'missing') this.#fetchCut(certificate);
      else this.#commit(executionOf(evaluation, certificate), certificate);
    });
  }

  #fetchCut(certificate: CommitCertificate): void {
    this.#parts.fetcher.fetchCertified(certificate.value, () => this.#finish(certificate));
  }

  #commit(execution: CutExecution, certificate: CommitCertificate): void {
    this.#driver.whenReady(this.#driver.ports.chain.commit(execution, certificate), () =>
      this.#goOn(),
    );
  }

  #goOn(): void {
    this.#finishing = undefined;
    this.#enterNextHeight();
  }

  #enterNextHeight(): void {
    const { chain, key } = this.#driver.ports;
    const { state, machine } = this.#driver;
    const context = contextOf(chain, key);
    if (context.height <= state.context.height) return;
    const follows = context.height === state.context.height + 1 && state.decided !== undefined;
    this.#driver.timers.clear();
    this.#parts.fetcher.clear();
    this.#parts.cuts.forgetBelow(context.height);
    if (!follows) machine.replace(initialState(context, previousOf(chain)));
    this.#parts.start.prepare();
    this.#parts.exchange.save();
    machine.input({ type: 'startHeight', context });
    this.#parts.evidence.review();
    this.#parts.exchange.report(context.height);
    this.#askHelper();
  }

  #askHelper(): void {
    const helper = this.#helper;
    this.#helper = undefined;
    if (helper === undefined) return;
    const { height } = this.#driver;
    const place = { height, round: NO_ROUND, step: 'unstarted' } as const;
    this.#parts.speaker.send(helper, {
      kind: 'summary',
      ...place,
      rounds: [],
      wantedPolka: undefined,
    });
  }

  /** The chain has moved without us: its own certificate decides our height, or we continue behind its head. */
  #follow(isLate: boolean): void {
    const { state, height } = this.#driver;
    const { head, headCertificate: certificate } = this.#driver.ports.chain;
    if (this.#finishing !== undefined || head.height < height) return;
    const isLeftBehind = isLate || head.height > height || state.decided !== undefined;
    if (isLeftBehind || certificate === undefined) {
      this.#enterNextHeight();
      return;
    }
    const { value } = certificate;
    if (!state.verdicts.has(value))
      this.#driver.input({ type: 'verdict', height, value, verdict: 'valid' });
    this.#driver.input({ type: 'commitCertificate', certificate });
  }
}

function executionOf(
  evaluation: Exclude<Evaluation, { type: 'missing' }>,
  { height, value }: CommitCertificate,
): CutExecution {
  if (evaluation.type === 'execution') return evaluation.execution;
  throw new DecidedCutFaultError(
    `cut ${height}, ${value}, cannot be made final: ${evaluation.reason}`,
  );
}
