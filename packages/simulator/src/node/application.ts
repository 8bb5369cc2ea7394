/**
 * The application of a node: builds cuts and judges them. Judgement is stable: what is missing makes
 * a cut unknown, never invalid.
 */
import type { Bitmap, Conflict, CutId, Effect, Evidence, Round, Verdict } from 'svc-finality';
import { createEvidence, EVIDENCE_PER_CUT_MAX, offenceKey, proposedTime } from 'svc-finality';
import type { Cut } from '../world/cut.ts';
import type { Node } from './node.ts';

type ValidateCut = Extract<Effect, { type: 'validateCut' }>;

const EVIDENCE_POOL_MAX = 64;

export class Application {
  readonly #node: Node;
  /** Headers seen, and those whose bodies are here. */
  readonly headers = new Map<CutId, Cut>();
  readonly bodies = new Set<CutId>();
  /** Cuts the machine has asked about and that are still unknown, with the proposer to ask. */
  readonly pending = new Map<CutId, number>();
  /** Cuts with a certificate: two thirds vouch for the claim about the previous signers. */
  readonly certified = new Set<CutId>();
  readonly evidence = new Map<string, Evidence>();

  constructor(node: Node) {
    this.#node = node;
  }

  makeCut(previousRound: Round, previousSigners: Bitmap): Cut {
    const node = this.#node;
    const { world, chainState } = node;
    const { timing } = world.protocol.rules;
    const height = (chainState.height + 1) as Cut['height'];
    return {
      id: world.nextCutId(node.index),
      height,
      parentId: chainState.cutId,
      proposer: node.index,
      timeMs: proposedTime(timing, chainState.pace, height, chainState.timeMs, node.localNow()),
      previousRound,
      previousSigners,
      evidence: this.#freshEvidence(),
      flaw: 'none',
      bodiesFor: 'everybody',
    };
  }

  noteConflict(conflict: Conflict): void {
    const { evidencePorts } = this.#node.world.chain;
    const evidence = createEvidence(conflict, evidencePorts);
    if (this.evidence.size < EVIDENCE_POOL_MAX) this.evidence.set(keyOf(evidence), evidence);
  }

  #freshEvidence(): Evidence[] {
    if (this.evidence.size === 0) return [];
    const { register } = this.#node.chainState;
    const fresh: Evidence[] = [];
    for (const [key, evidence] of this.evidence) {
      if (register.has(key)) this.evidence.delete(key);
      else if (fresh.length < EVIDENCE_PER_CUT_MAX) fresh.push(evidence);
    }
    return fresh;
  }

  /** Names a cut by its contents, where it has any. */
  seal(cut: Cut): Cut {
    return cut;
  }

  /** The chain has grown by this cut. */
  decided(_cut: Cut): void {}

  /** Whether the header alone gives a bad cut away; without contents, its label stands for that. */
  protected showsFlaw(cut: Cut): boolean {
    return cut.flaw === 'invalid';
  }

  /** Whether the bodies, which are here, agree with the header. */
  protected contentsHold(_cut: Cut): boolean {
    return true;
  }

  learn(cut: Cut, withBodies: boolean): void {
    if (!this.headers.has(cut.id)) this.headers.set(cut.id, cut);
    if (withBodies) this.bodies.add(cut.id);
  }

  validate({ value, from }: ValidateCut): void {
    this.pending.set(value, from);
    this.judgePending();
  }

  /** Judges again whatever was unknown; what is missing is asked of the proposer, then of others. */
  judgePending(asksOthers = false): void {
    if (this.pending.size === 0) return;
    for (const [value, proposer] of [...this.pending]) {
      const from = asksOthers ? this.#node.random.pick(this.#node.peers()) : proposer;
      const verdict = this.judge(value, from);
      if (verdict === 'unknown') continue;
      this.pending.delete(value);
      this.#node.giveVerdict(value, verdict);
    }
  }

  judge(value: CutId, from: number): Verdict {
    const node = this.#node;
    const { protocol } = node.world;
    const cut = this.headers.get(value);
    if (cut === undefined) {
      node.say(from, { type: 'cutRequest', value });
      return 'unknown';
    }
    if (node.behaviour !== undefined) return this.bodies.has(value) ? 'valid' : 'unknown';
    if (!this.#followsRules(cut)) return 'invalid';
    if (!this.bodies.has(value)) {
      node.say(from, { type: 'cutRequest', value });
      return 'unknown';
    }
    if (!this.contentsHold(cut)) return 'invalid';
    if (this.certified.has(value)) return 'valid';
    const { previousRound: round, previousSigners: signers } = cut;
    const claim = protocol.checkPreviousSigners(node.state.previous, { round, signers });
    if (claim.type === 'invalid') return 'invalid';
    if (claim.type === 'held') return 'valid';
    const height = node.chainState.height;
    node.say(from, { type: 'precommitsRequest', height, round, signers: claim.signers });
    return 'unknown';
  }

  #followsRules(cut: Cut): boolean {
    const { world, chainState } = this.#node;
    const { protocol, chain } = world;
    const { pace, timeMs, height } = chainState;
    if (this.showsFlaw(cut) || cut.parentId !== chainState.cutId) return false;
    if (cut.height !== height + 1 || cut.evidence.length > EVIDENCE_PER_CUT_MAX) return false;
    if (!protocol.isTimeAllowed(protocol.rules.timing, pace, cut.height, timeMs, cut.timeMs))
      return false;
    let { register } = chainState;
    for (const evidence of cut.evidence) {
      const outcome = protocol.acceptEvidence(register, evidence, cut.height, chain.evidencePorts);
      if (outcome.type === 'refused') return false;
      register = outcome.register;
    }
    return true;
  }

  startHeight(): void {
    this.pending.clear();
    this.certified.clear();
    const { height } = this.#node.chainState;
    for (const [id, cut] of this.headers)
      if (cut.height < height) {
        this.headers.delete(id);
        this.bodies.delete(id);
      }
  }
}

function keyOf(evidence: Evidence): string {
  return offenceKey(`validator ${evidence.first.validatorIndex}`, evidence.first);
}
