/**
 * The level with the real ledger: one replica for each process, miners for all of them. Cuts register blocks, carry evidence
 * and commit to the state, and a cut is valid only if executing it gives what its header says.
 */
import {
  type Conflict,
  createEvidence,
  EVIDENCE_PER_CUT_MAX,
  type Evidence,
} from 'svc-consensus/machine';
import { blockFault, compareBlocks, type EpochRecord, LedgerAssertionError } from 'svc-ledger';
import type { ValidatorSet } from 'svc-wasm/protocol';
import { Application } from '../node/application.ts';
import type { Level } from '../node/level.ts';
import type { Node } from '../node/node.ts';
import type { Plan } from '../plan/plan.ts';
import { type Committees, type ConsensusKey, epochWith } from '../world/committees.ts';
import { type Cut, type Epoch, wrapCut } from '../world/cut.ts';
import { PROTOCOL, type Protocol } from '../world/protocol.ts';
import type { ChainSurroundings } from '../world/surroundings.ts';
import { Operators, Workshop } from './miners.ts';
import {
  asLedgerCut,
  type Commitment,
  type LedgerCut,
  type MinedBlock,
  Replica,
} from './replica.ts';
import { createSetting, type LedgerSetting } from './setting.ts';

/**
 * The committees that the ledger elects, learned from the first node that has executed the last cut of an epoch. All
 * honest nodes elect the same one: its id is part of every header.
 */
class ElectedCommittees implements Committees {
  readonly #epochs: Epoch[] = [];
  readonly #cuts: number;
  readonly #holderOf: (publicKey: Uint8Array) => ConsensusKey;

  constructor(cuts: number, holderOf: (publicKey: Uint8Array) => ConsensusKey) {
    this.#cuts = cuts;
    this.#holderOf = holderOf;
  }

  at(epoch: number): Epoch | undefined {
    return this.#epochs[epoch];
  }

  /** Takes note of an epoch that follows those known; whether it was news. */
  learn({ epoch, members, validatorSetId }: EpochRecord): boolean {
    if (epoch !== this.#epochs.length) return false;
    const holders = members.map(({ publicKey, stake }) => ({
      ...this.#holderOf(publicKey),
      stake,
    }));
    this.#epochs.push(epochWith(epoch, validatorSetId, holders, this.#cuts));
    return true;
  }
}

const ANCHORS_BACK_MAX = 6;
const BLOCKS_PER_CUT_MAX = 4;
const NO_ROOT = '00'.repeat(48);
const NOTHING: Commitment = {
  stateRoot: NO_ROOT,
  outcomeRoot: NO_ROOT,
  changesRoot: NO_ROOT,
  historyRoot: NO_ROOT,
  workTarget: 0n,
  validatorSetId: NO_ROOT,
  nextValidatorSetId: NO_ROOT,
};

/**
 * The application with the real ledger beneath: cuts register blocks, carry evidence and commit to the
 * state, and a cut is valid only if executing it gives what its header says.
 */
export class LedgerApplication extends Application {
  readonly #node: Node;
  readonly #committees: ElectedCommittees | undefined;
  readonly #replica: Replica;
  readonly #workshop: Workshop;

  constructor(node: Node, level: LedgerLevel, replica: Replica, workshop: Workshop) {
    super(node);
    this.#node = node;
    this.#committees = level.committees;
    this.#replica = replica;
    this.#workshop = workshop;
  }

  /** Gives a cut the header that its contents ask for; one that is to be invalid lies about the state. */
  override seal(cut: Cut): Cut {
    const full = this.#withContents(cut);
    const sealed = this.#asserted(() => this.#replica.seal(full), full);
    if (cut.flaw === 'none') return this.keep(wrapCut(sealed));
    const stateRoot = this.#replica.tip;
    const lying = { ...sealed, commitment: { ...sealed.commitment, stateRoot } };
    return this.keep(wrapCut({ ...lying, id: this.#replica.contentId(lying) }));
  }

  /** A cut that was just made registers blocks; one that an actor has changed has them already. */
  #withContents(cut: Cut): LedgerCut {
    if ('registered' in cut) return asLedgerCut(cut);
    return { ...cut, registered: this.#chooseBlocks(), commitment: NOTHING };
  }

  override isRemoved(index: number): boolean {
    return this.#replica.isRemoved(index);
  }

  protected override chooseEvidence(conflicts: readonly Conflict[]): Evidence[] {
    const { chain } = this.#node.world;
    const next = this.#node.chainState.height + 1;
    const ports = chain.evidencePortsIn(next);
    return conflicts
      .filter(({ first }) => first.height <= next)
      .filter(({ first }) => {
        const offender = chain.validatorAt(first.height, first.validatorIndex);
        return offender !== undefined && !this.#replica.isRemoved(offender);
      })
      .map((conflict) => createEvidence(conflict, ports))
      .slice(0, EVIDENCE_PER_CUT_MAX);
  }

  override decided(cut: Cut): void {
    const { world, index } = this.#node;
    const isCommitted = this.#asserted(() => this.#replica.commit(asLedgerCut(cut)), false);
    if (!isCommitted)
      world.fail('ledger', `validator ${index} decided ${cut.id} against its state`);
    this.#elect();
    this.#workshop.mine(this.#replica);
  }

  /** The end of an epoch: a committee is elected, and the ledger may name another key of this validator. */
  #elect(): void {
    const { world, key } = this.#node;
    const { epochRecord } = this.#replica;
    if (this.#committees?.learn(epochRecord) === true)
      expectHonestMajority(world, epochRecord.epoch);
    if (this.keyGeneration !== key.generation) this.#node.restartSoon();
  }

  override get keyGeneration(): number {
    return this.#replica.keyGenerationOf(this.#node.index);
  }

  override setAt(height: number): ValidatorSet | undefined {
    return this.#replica.knowsSetAt(height) ? super.setAt(height) : undefined;
  }

  /** A wrong root is found by execution, never by the label. */
  protected override showsFlaw(): boolean {
    return false;
  }

  protected override contentsHold(cut: Cut): boolean {
    return this.#asserted(() => this.#replica.holds(asLedgerCut(cut)), false);
  }

  #chooseBlocks(): MinedBlock[] {
    const { random } = this.#node;
    const { cutIds, state, height } = this.#replica;
    return cutIds
      .slice(-ANCHORS_BACK_MAX)
      .flatMap((anchor) => this.#workshop.blocksOn(anchor))
      .filter(({ block }) => blockFault(state, height + 1, block) === null && random.chance(0.6))
      .slice(0, BLOCKS_PER_CUT_MAX)
      .sort((a, b) => compareBlocks(a.block, b.block));
  }

  /** An assertion of the ledger ends the simulation, also in a liar. */
  #asserted<T>(run: () => T, otherwise: T): T {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof LedgerAssertionError)) throw error;
      this.#node.world.fail('ledger', `validator ${this.#node.index}: ${error.message}`);
      return otherwise;
    }
  }
}

/** Faults can cost so many honest validators their seats that nothing is promised any more. */
function expectHonestMajority(world: ChainSurroundings, epoch: number): void {
  const { set, holders } = world.chain.electedFor(epoch);
  const liars = holders.reduce(
    (sum, validator, seat) =>
      world.plan.byzantine.has(validator) ? sum + (set.stakes[seat] as bigint) : sum,
    0n,
  );
  if (3n * liars >= set.totalStake) world.abandon(`liars hold a third of epoch ${epoch}`);
}

/** The level with the real ledger: one replica for each process, miners for all of them. */
export class LedgerLevel implements Level {
  readonly setting: LedgerSetting;
  /** Where they change. */
  readonly committees: ElectedCommittees | undefined;
  /** The ledger before anything was decided. */
  readonly genesis: Replica;
  readonly #workshop: Workshop;
  readonly #replicas = new Map<Node, Replica>();

  readonly #ApplicationClass: typeof LedgerApplication;

  /** Another class of application is for controls that break a rule. */
  constructor(
    plan: Plan,
    ApplicationClass: typeof LedgerApplication = LedgerApplication,
    protocol: Protocol = PROTOCOL,
  ) {
    this.#ApplicationClass = ApplicationClass;
    this.setting = createSetting(plan, protocol);
    const { changes, seed, validators } = plan;
    const isUp = (validator: number) => this.#isUp(validator);
    const operators =
      changes === undefined ? undefined : new Operators(this.setting, changes, isUp);
    this.#workshop = new Workshop(this.setting, seed, operators);
    this.genesis = new Replica(this.setting);
    this.#workshop.mine(this.genesis);
    if (changes === undefined) return;
    this.committees = new ElectedCommittees(12 * validators, this.setting.holderOf);
    this.committees.learn(this.genesis.epochRecord);
  }

  #isUp(validator: number): boolean {
    for (const { index, up } of this.#replicas.keys()) if (index === validator && up) return true;
    return false;
  }

  /**
   * Committed state survives a restart; every other time it is computed again from the decisions, and always after a
   * restored backup, whose decisions end earlier.
   */
  applicationOf = (node: Node): Application => {
    const isReplayed = (node.life >> 1) % 2 === 1;
    const kept = isReplayed ? undefined : this.#replicas.get(node);
    const isCurrent = kept?.height === node.disk.chain.length;
    const replica = kept !== undefined && isCurrent ? kept : this.#replay(node);
    this.#replicas.set(node, replica);
    return new this.#ApplicationClass(node, this, replica, this.#workshop);
  };

  get mintedAtGenesis(): bigint {
    return this.genesis.economy.minted;
  }

  /** What a validator bonded at genesis, or when it joined. */
  bondOf(index: number): bigint {
    return this.setting.bonds[index] ?? 0n;
  }

  readonly replicaOf = (node: Node): Replica => this.#replicas.get(node) as Replica;

  #replay(node: Node): Replica {
    const replica = new Replica(this.setting);
    for (const { cut } of node.disk.chain) replica.commit(asLedgerCut(cut));
    return replica;
  }
}
