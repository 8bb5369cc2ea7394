/**
 * The level with the real ledger: one replica for each process, miners for all of them.
 */
import type { Application } from '../node/application.ts';
import type { Level } from '../node/level.ts';
import type { Node } from '../node/node.ts';
import type { Plan } from '../plan/plan.ts';
import { LedgerApplication } from './ledger-application.ts';
import { asLedgerCut } from './ledger-cut.ts';
import { Replica } from './replica.ts';
import type { LedgerSetting } from './setting.ts';
import { createSetting } from './setting.ts';
import { Workshop } from './workshop.ts';

export class LedgerLevel implements Level {
  readonly setting: LedgerSetting;
  readonly #workshop: Workshop;
  readonly #replicas = new Map<Node, Replica>();

  readonly #ApplicationClass: typeof LedgerApplication;

  /** Another class of application is for controls that break a rule. */
  constructor(
    { stakes, seed }: Plan,
    ApplicationClass: typeof LedgerApplication = LedgerApplication,
  ) {
    this.#ApplicationClass = ApplicationClass;
    this.setting = createSetting(stakes[0] ?? []);
    this.#workshop = new Workshop(this.setting, seed);
    this.#workshop.mine(new Replica(this.setting));
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
    return new this.#ApplicationClass(node, this.setting, replica, this.#workshop);
  };

  get mintedAtGenesis(): bigint {
    return new Replica(this.setting).economy.minted;
  }

  /** What a validator bonded at genesis. */
  bondOf(index: number): bigint {
    return this.setting.bonds[index] ?? 0n;
  }

  replicaOf(node: Node): Replica {
    return this.#replicas.get(node) as Replica;
  }

  #replay(node: Node): Replica {
    const replica = new Replica(this.setting);
    for (const { cut } of node.disk.chain) replica.commit(asLedgerCut(cut));
    return replica;
  }
}
