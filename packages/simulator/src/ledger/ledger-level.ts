/**
 * The level with the real ledger: one replica for each process, miners for all of them.
 */
import type { Application } from '../node/application.ts';
import type { Level } from '../node/level.ts';
import type { Node } from '../node/node.ts';
import type { Plan } from '../plan/plan.ts';
import type { Protocol } from '../world/protocol.ts';
import { PROTOCOL } from '../world/protocol.ts';
import { ElectedCommittees } from './changes/elected-committees.ts';
import { Operators } from './changes/operators.ts';
import { LedgerApplication } from './ledger-application.ts';
import { asLedgerCut } from './ledger-cut.ts';
import { Replica } from './replica.ts';
import type { LedgerSetting } from './setting.ts';
import { createSetting } from './setting.ts';
import { Workshop } from './workshop.ts';

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
