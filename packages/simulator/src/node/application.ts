/**
 * The chain beneath a simulated validator: builds cuts, evaluates them and keeps what was decided, on the disk of its
 * node. An evaluation is stable: what is missing makes a cut incomplete, never faulty.
 */
import { Signal } from 'svc-base/pure';
import {
  type Bitmap,
  type CommitCertificate,
  type Conflict,
  type CutId,
  createEvidence,
  type EncodedCut,
  EVIDENCE_PER_CUT_MAX,
  type Evidence,
  offenceKey,
  proposedTime,
  type Round,
  trimCertificate,
} from 'svc-consensus/machine';
import type {
  BlockBytes,
  BuildRequest,
  CutExecution,
  EvaluateOptions,
  Evaluation,
  FinalCut,
  Later,
  NextHeight,
  PooledBlock,
  StoredDecision,
  ValidatorBlocks,
  ValidatorChain,
} from 'svc-consensus/shell';
import type { ValidatorSet } from 'svc-wasm/protocol';
import { offenderName } from '../world/chain.ts';
import { type ChainState, type Cut, wrapCut } from '../world/cut.ts';
import type { Disk } from '../world/disk.ts';
import { bodiesOf } from '../world/packet.ts';
import type { ChainSurroundings } from '../world/surroundings.ts';

const FAULT: Evaluation = { type: 'fault', reason: 'it breaks a rule' };
const NOT_NEXT: Evaluation = { type: 'missing', blocks: [], what: 'its turn' };

/** The process that a chain belongs to. */
export interface ApplicationHost {
  /** The number of its validator, which is a seat only where the plan says who sits. */
  readonly index: number;
  readonly isHonest: boolean;
  readonly disk: Disk;
  readonly world: ChainSurroundings;
  chainState: ChainState;
  localNow(): bigint;
  /** The seat that it claims in the set of a height. */
  seatAt(height: number): number;
  /** An answer of the application, which may take a while. */
  answerLater<T>(answer: T): Later<T>;
  /** What a Byzantine process proposes instead of the honest cut. */
  otherCut(honest: Cut): Cut | undefined;
  /** Tells the watch over the world that the chain has grown. */
  observeDecision(cut: Cut, certificate: CommitCertificate): void;
}

export class Application implements ValidatorChain, ValidatorBlocks {
  readonly network = 'development';
  readonly protocolVersion = 1;
  readonly finalized = new Signal<FinalCut>();
  readonly accepted = new Signal<PooledBlock>();
  /** Cuts whose bodies are here. */
  readonly bodies = new Set<CutId>();
  readonly #node: ApplicationHost;
  #headCertificate: CommitCertificate | undefined;

  constructor(node: ApplicationHost) {
    this.#node = node;
    this.#headCertificate = node.disk.chain.at(-1)?.certificate;
    for (const id of node.disk.cuts.keys()) this.bodies.add(id);
  }

  get paceMillis(): number {
    return Number(this.#node.world.protocol.rules.timing.paceMs);
  }

  get interval(): number {
    return this.#node.world.plan.epochs.cuts;
  }

  get head(): { readonly height: number } {
    return this.#node.chainState;
  }

  get next(): NextHeight {
    return this.#node.world.chain.contextAfter(this.#node.chainState);
  }

  get headCertificate(): CommitCertificate | undefined {
    return this.#headCertificate;
  }

  setAt(height: number): ValidatorSet | undefined {
    return this.#node.world.chain.epochAt(height)?.validators;
  }

  /** How many keys this validator had before the one that the chain names. */
  get keyGeneration(): number {
    return 0;
  }

  overlayMembers(): [] {
    return [];
  }

  isPunished(validatorId: string): boolean {
    const index = this.#node.world.indexOf(validatorId);
    return index !== undefined && this.isRemoved(index);
  }

  /** Whether the chain has accepted evidence against a validator. */
  isRemoved(index: number): boolean {
    const { register } = this.#node.chainState;
    if (register.size === 0) return false;
    const prefix = `${offenderName(index)}/`;
    for (const key of register.keys()) if (key.startsWith(prefix)) return true;
    return false;
  }

  makeCut(previousRound: Round, previousSigners: Bitmap, conflicts: readonly Conflict[] = []): Cut {
    const node = this.#node;
    const { world, chainState } = node;
    const { timing } = world.protocol.rules;
    const height = (chainState.height + 1) as Cut['height'];
    return this.seal(
      wrapCut({
        id: world.nextCutId(node.index),
        height,
        parentId: chainState.cutId,
        proposer: node.seatAt(height),
        timeMs: proposedTime(timing, chainState.pace, height, chainState.timeMs, node.localNow()),
        previousRound,
        previousSigners,
        evidence: this.chooseEvidence(conflicts),
        flaw: 'none',
        bodiesFor: 'everybody',
      }),
    );
  }

  protected chooseEvidence(conflicts: readonly Conflict[]): Evidence[] {
    if (conflicts.length === 0) return [];
    const { world, chainState } = this.#node;
    const ports = world.chain.evidencePortsIn(chainState.height + 1);
    return conflicts
      .map((conflict) => createEvidence(conflict, ports))
      .filter(({ first }) => {
        const offender = ports.validatorAt(first.height, first.validatorIndex);
        return offender !== undefined && !chainState.register.has(offenceKey(offender, first));
      })
      .slice(0, EVIDENCE_PER_CUT_MAX);
  }

  /** Gives a changed cut the form, and where it has contents the name, that its parts ask for. */
  seal(cut: Cut): Cut {
    return this.keep(wrapCut(cut));
  }

  protected keep(cut: Cut): Cut {
    this.#node.world.cuts.set(cut.id, cut);
    this.bodies.add(cut.id);
    return cut;
  }

  build(request: BuildRequest, isWanted: () => boolean): Later<EncodedCut | undefined> {
    const node = this.#node;
    if (request.height !== node.chainState.height + 1 || !isWanted()) return undefined;
    const { previousRound, previousSigners, conflicts } = request;
    const honest = this.makeCut(previousRound, previousSigners, conflicts);
    const other = node.otherCut(honest);
    return node.answerLater(other === undefined ? honest : this.seal(other));
  }

  evaluate(encoded: EncodedCut, _options: EvaluateOptions): Later<Evaluation> {
    const node = this.#node;
    const cut = encoded as Cut;
    if (cut.height !== node.chainState.height + 1) return NOT_NEXT;
    const { isHonest } = node;
    if (isHonest && !this.#followsRules(cut)) return node.answerLater(FAULT);
    if (!this.bodies.has(cut.id))
      return { type: 'missing', blocks: [cut.id], what: 'the bodies of its blocks' };
    if (isHonest && !this.contentsHold(cut)) return node.answerLater(FAULT);
    return node.answerLater({ type: 'execution', execution: { cut } });
  }

  offer({ id }: BlockBytes): void {
    this.receiveBodies(id as CutId);
  }

  submit(header: Uint8Array): void {
    this.receiveBodies(String.fromCharCode(...header) as CutId);
  }

  receiveBodies(id: CutId): void {
    if (this.bodies.has(id)) return;
    this.bodies.add(id);
    this.accepted.emit({ bytes: bodiesOf(id) });
  }

  get(id: string): PooledBlock | undefined {
    const value = id as CutId;
    return this.bodies.has(value) ? { bytes: bodiesOf(value) } : undefined;
  }

  commit({ cut: encoded }: CutExecution, certificate: CommitCertificate): void {
    const node = this.#node;
    const cut = encoded as Cut;
    const { set } = node.world.chain.trueEpoch(cut.height);
    node.disk.commit({ cut, certificate: trimCertificate(set, certificate) });
    this.#headCertificate = certificate;
    this.decided(cut);
    node.observeDecision(cut, certificate);
    node.chainState = node.world.chain.after(node.chainState, cut);
    for (const id of this.bodies) {
      const known = node.world.cuts.get(id);
      if (known !== undefined && known.height < cut.height) this.bodies.delete(id);
    }
    this.finalized.emit({ height: cut.height, header: cut.fields });
  }

  storedCut(height: number, value: CutId): EncodedCut | undefined {
    const cut = this.#node.disk.chain[height - 1]?.cut;
    return cut?.id === value ? cut : undefined;
  }

  storedDecision(height: number): StoredDecision | undefined {
    return this.#node.disk.chain[height - 1];
  }

  storedBlocks(ids: readonly string[]): readonly BlockBytes[] {
    const { chain, cuts } = this.#node.disk;
    return ids
      .map((id) => id as CutId)
      .filter((id) => cuts.has(id) || chain.some(({ cut }) => cut.id === id))
      .map(bodiesOf);
  }

  /** Called for every cut that this chain has grown by. */
  decided(_cut: Cut): void {}

  /** Whether the header alone gives a bad cut away; without contents, its label stands for that. */
  protected showsFlaw(cut: Cut): boolean {
    return cut.flaw === 'invalid';
  }

  /** Whether the bodies, which are here, agree with the header. */
  protected contentsHold(_cut: Cut): boolean {
    return true;
  }

  #followsRules(cut: Cut): boolean {
    const { world, chainState } = this.#node;
    const { protocol, chain } = world;
    const { pace, timeMs } = chainState;
    if (this.showsFlaw(cut) || cut.parentId !== chainState.cutId) return false;
    if (cut.evidence.length > EVIDENCE_PER_CUT_MAX) return false;
    if (!protocol.isTimeAllowed(protocol.rules.timing, pace, cut.height, timeMs, cut.timeMs))
      return false;
    let { register } = chainState;
    for (const evidence of cut.evidence) {
      const ports = chain.evidencePortsIn(cut.height);
      const outcome = protocol.acceptEvidence(register, evidence, cut.height, ports);
      if (outcome.type === 'refused') return false;
      register = outcome.register;
    }
    return true;
  }
}

export class VirtualAnswer<T> implements PromiseLike<T> {
  readonly #listeners: ((answer: T) => unknown)[] = [];

  give(answer: T): void {
    for (const listener of this.#listeners) listener(answer);
  }

  // biome-ignore lint/suspicious/noThenProperty: the ports of a validator take whatever has `then`.
  then<A = T, B = never>(
    onGiven?: ((answer: T) => A | PromiseLike<A>) | null,
    _onFailed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): PromiseLike<A | B> {
    const chained = new VirtualAnswer<A | B>();
    this.#listeners.push((answer) => {
      if (onGiven) chained.give(onGiven(answer) as A);
      else chained.give(answer as unknown as A);
    });
    return chained;
  }
}
