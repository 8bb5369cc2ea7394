/**
 * A run of many epochs over the stake of a network, compared with the book and with three rules after every cut:
 * earned amounts are paid exactly in the following interval; totals and positions are those of the book; the work of
 * a cut does not grow with the number of positions. The first broken rule ends the run.
 */
import { applyCut } from '../../src/apply-cut.ts';
import { LedgerAssertionError } from '../../src/assertion.ts';
import type { CutInput, CutResult } from '../../src/cut.ts';
import type { LedgerParameters } from '../../src/parameters.ts';
import { unbondingOf } from '../../src/rules/positions.ts';
import type { ExecutableTransaction } from '../../src/transaction.ts';
import { idOfLabel } from '../model/ids.ts';
import { SumTrees } from '../testing/sum-trees.ts';
import { COIN, TestChain } from '../testing/test-chain.ts';
import { CountingView } from './counting-view.ts';
import { Random } from './random.ts';
import { Purse, StakeActors, type StakePlan } from './stake-actors.ts';
import { StakeBook } from './stake-book.ts';

const VALIDATORS = ['alice', 'bruno', 'chloe', 'david'].map((name, index) => ({
  name,
  amount: BigInt(400_000 - 50_000 * index) * COIN,
  commissionBps: 300 * index,
}));

/**
 * Records that evidence against one validator may make a cut read or write. Where a bond is no longer paid, other
 * positions are read for its payment.
 */
const EVIDENCE_READS_MAX = 256;
const EVIDENCE_CHANGES_MAX = 8;
const CUT_READS_MAX = 2_000;
const TRANSACTION_READS_MAX = 30;
const VISIT_READS_MAX = 3;

export class StakeViolation extends Error {
  readonly checker: string;

  constructor(checker: string, message: string) {
    super(`${checker}: ${message}`);
    this.checker = checker;
  }
}

/** How often things happened. */
export type StakeCounts = Record<
  | 'bonded'
  | 'refusedBonds'
  | 'unbonded'
  | 'withdrawn'
  | 'exited'
  | 'removed'
  | 'paid'
  | 'positionsMost',
  number
>;

export class StakeRun {
  readonly #plan: StakePlan;
  readonly #random: Random;
  readonly #chain: TestChain;
  readonly #book: StakeBook;
  readonly #actors: StakeActors;
  readonly #purse: Purse;
  #absent = new Set<string>();
  readonly counts: StakeCounts = {
    bonded: 0,
    refusedBonds: 0,
    unbonded: 0,
    withdrawn: 0,
    exited: 0,
    removed: 0,
    paid: 0,
    positionsMost: 0,
  };

  /** `running` are parameters that hold from the first cut on and are not checked at the genesis. */
  constructor(plan: StakePlan, running: Partial<LedgerParameters> = {}) {
    const { seed, interval, positionMin } = plan;
    this.#plan = plan;
    this.#random = new Random(seed);
    this.#chain = new TestChain(VALIDATORS, { interval, positionMin }, new SumTrees());
    this.#chain.parameters = { ...this.#chain.parameters, ...running };
    this.#book = new StakeBook(interval);
    this.#actors = new StakeActors(this.#chain, this.#random, plan);
    this.#purse = new Purse(this.#chain);
    for (const [id, { validatorId, ownerAddress, bonded }] of this.#chain.state.records(
      'positions',
    )) {
      this.#book.open(id, validatorId, ownerAddress, bonded, true);
    }
    this.#beginEpoch();
  }

  run(): this {
    for (let epoch = 0; epoch < this.#plan.epochs; epoch++) this.#epoch(epoch);
    return this;
  }

  #epoch(epoch: number): void {
    const { interval } = this.#plan;
    const [split, transactions] = this.#purse.pay(this.#actors.intents(epoch));
    const at = this.#random.between(3, interval - 1);
    const accusedAt = this.#random.chance(25) ? this.#random.between(1, interval) : 0;
    this.#absent = new Set(
      this.#chain.epoch.members
        .map(({ validatorId }) => validatorId)
        .filter(() => this.#random.chance(8)),
    );
    for (let offset = 1; offset <= interval; offset++) {
      const blocks = [
        ...(offset === 1 ? [{ transactions: [split] }] : []),
        ...(offset === at ? [{ transactions }] : []),
      ];
      const input = this.#chain.input({
        blocks,
        evidence: offset === accusedAt ? this.#accuse() : [],
        signers: this.#signers(),
      });
      this.#cut(input);
    }
    this.#endEpoch();
  }

  #accuse(): CutInput['evidence'] {
    const all = this.#chain.state.records('validators');
    const active = all.filter(([, { status }]) => status === 'active');
    const suspects = active.length > 2 ? all.filter(([, { status }]) => status !== 'removed') : [];
    const suspect = this.#random.pick(suspects);
    const height = Math.max(1, this.#chain.height - 2);
    return suspect === undefined ? [] : [{ validatorId: suspect[0], height }];
  }

  #signers(): bigint {
    return this.#chain.epoch.members.reduce((bits, { validatorId }, index) => {
      return this.#absent.has(validatorId) ? bits : bits | (1n << BigInt(index));
    }, 0n);
  }

  #cut(input: CutInput): void {
    const chain = this.#chain;
    const minted = chain.economy.minted;
    const view = new CountingView(chain.state);
    const ports = chain.ports;
    const before = input.evidence.length === 0 ? undefined : this.#cost({ ...input, evidence: [] });
    const result = this.#asserted(() => chain.apply(input, view));
    chain.results.length = 0;
    chain.inputs.length = 0;
    this.#checkWork(input, result, view.reads, before, ports.parameters);
    for (const { validatorId } of input.evidence) {
      this.#book.punish(validatorId, input.height);
      this.counts.removed++;
    }
    this.#follow(input, result);
    for (const { positionId, amount } of result.events.stakePayouts) {
      const fault = this.#book.pay(positionId, amount);
      if (fault !== null) throw new StakeViolation('everyPositionPaid', fault);
      this.counts.paid++;
    }
    const issued = chain.economy.minted - minted;
    this.#book.collect(issued - issued / 2n);
    this.#checkTotals();
  }

  /** An assertion of the ledger would stop every node. */
  #asserted<T>(apply: () => T): T {
    try {
      return apply();
    } catch (error) {
      if (!(error instanceof LedgerAssertionError)) throw error;
      throw new StakeViolation('ledger', error.message);
    }
  }

  #cost(input: CutInput): { readonly reads: number; readonly changes: number } {
    const view = new CountingView(this.#chain.state);
    const { changes } = applyCut(this.#chain.ports, view, input);
    return { reads: view.reads, changes: changes.length };
  }

  #checkWork(
    { executed, evidence, height }: CutInput,
    { changes }: CutResult,
    reads: number,
    before: { readonly reads: number; readonly changes: number } | undefined,
    parameters: LedgerParameters,
  ): void {
    const transactions = executed.reduce((sum, block) => sum + block.transactions.length, 0);
    const inputs = executed
      .flatMap((block) => block.transactions)
      .reduce((sum, transaction) => sum + transaction.inputs.length, 0);
    const visits = parameters.stakeVisitsPerCut;
    const most =
      CUT_READS_MAX + TRANSACTION_READS_MAX * (transactions + inputs) + VISIT_READS_MAX * visits;
    if (reads > most) {
      throw new StakeViolation('workBudget', `cut ${height} reads ${reads} records, over ${most}`);
    }
    if (before === undefined) return;
    const readsMore = reads - before.reads;
    const changesMore = changes.length - before.changes;
    if (
      readsMore > EVIDENCE_READS_MAX * evidence.length ||
      changesMore > EVIDENCE_CHANGES_MAX * evidence.length
    ) {
      const what = `${readsMore} more records read and ${changesMore} more changed`;
      throw new StakeViolation('workBudget', `evidence in cut ${height}: ${what}`);
    }
  }

  /** Writes the executed operations into the book. */
  #follow({ executed, height }: CutInput, { events }: CutResult): void {
    const transactions = executed.flatMap((block) => block.transactions);
    const returned = new Map<string, bigint>();
    for (const { source, kind, transactionId, amount } of events.history) {
      if (source === 'stake_return' && kind === 'received') returned.set(transactionId, amount);
    }
    for (const [index, transaction] of transactions.entries()) {
      const isExecuted = events.outcomes[index]?.kind === 'finalized';
      if (!isExecuted) {
        if (transaction.operation?.type === 'bond') this.counts.refusedBonds++;
        continue;
      }
      if (transaction.operation === null) continue;
      this.#purse.settle(transaction);
      const amount = this.#followOne(transaction, height);
      const paid = returned.get(transaction.id) ?? 0n;
      if (paid !== amount) {
        throw new StakeViolation('withdrawals', `${transaction.id} returns ${paid}, not ${amount}`);
      }
    }
  }

  #followOne({ id, operation }: ExecutableTransaction, height: number): bigint {
    if (operation === null) return 0n;
    const positionId = idOfLabel('SVC_POSITION_V1', id);
    switch (operation.type) {
      case 'bond': {
        const { validatorId, ownerAddress, amount } = operation;
        this.#book.open(positionId, validatorId, ownerAddress, amount, false);
        this.counts.bonded++;
        return 0n;
      }
      case 'validator_register': {
        const validatorId = idOfLabel('SVC_VALIDATOR_V1', id);
        this.#book.open(positionId, validatorId, operation.ownerAddress, operation.amount, true);
        return 0n;
      }
      default:
        if (operation.type === 'unbond') this.counts.unbonded++;
        if (operation.type === 'withdraw') this.counts.withdrawn++;
        if (operation.type === 'exit') this.counts.exited++;
        return this.#book.operate(operation, height);
    }
  }

  #checkTotals(): void {
    const { bonded, unbonding, burned, height } = this.#chain.economy;
    const book = this.#book;
    const found = [bonded, unbonding, burned].join();
    const expected = [book.bonded, book.unbonding, book.burned].join();
    if (found !== expected) {
      throw new StakeViolation('totals', `cut ${height} has ${found}, the book ${expected}`);
    }
  }

  #endEpoch(): void {
    const unpaid = this.#book.unpaid();
    if (unpaid.length > 0) {
      const { height } = this.#chain;
      const what = `${unpaid.length} positions that earned are not paid by cut ${height}`;
      throw new StakeViolation('everyPositionPaid', what);
    }
    this.#checkPositions();
    this.#checkValidators();
    this.#book.endEpoch((validatorId) => !this.#absent.has(validatorId));
    this.#beginEpoch();
  }

  #checkPositions(): void {
    const { state, parameters } = this.#chain;
    const keys = state.keys('positions');
    this.counts.positionsMost = Math.max(this.counts.positionsMost, keys.length);
    if (keys.length !== this.#book.positions.size) {
      throw new StakeViolation('positions', `${keys.length}, not ${this.#book.positions.size}`);
    }
    for (const id of keys) {
      const position = state.get('positions', id);
      const validator = position && state.get('validators', position.validatorId);
      const expected = this.#book.positions.get(id);
      if (position === undefined || validator === undefined || expected === undefined) {
        throw new StakeViolation('positions', `position ${id} is not on both sides`);
      }
      const bonded = validator.status === 'active' ? position.bonded : 0n;
      const leaving = unbondingOf(parameters, position, validator);
      const found = [bonded, ...leaving.map(({ amount }) => amount)].join();
      const wanted = [expected.bonded, ...expected.leaving.map(({ amount }) => amount)].join();
      if (found !== wanted) {
        throw new StakeViolation('positions', `position ${id} holds ${found}, not ${wanted}`);
      }
    }
  }

  /** The state has validators with positions and removed validators, and no others. */
  #checkValidators(): void {
    const holders = [...this.#book.positions.values()].map(({ validatorId }) => validatorId);
    const expected = new Set([...holders, ...this.#book.removals.keys()]);
    const found = new Map(this.#chain.state.records('validators'));
    if ([...found.keys()].sort().join() !== [...expected].sort().join()) {
      throw new StakeViolation('validators', `${found.size} in the state, not ${expected.size}`);
    }
    for (const [id, { status, removedHeight, removalBurned }] of found) {
      const removal = this.#book.removals.get(id);
      const recorded = [status === 'removed', removedHeight, removalBurned].join();
      const wanted = [removal !== undefined, removal?.height ?? 0, removal?.burned ?? 0n].join();
      if (recorded !== wanted) {
        throw new StakeViolation('validators', `validator ${id} has ${recorded}, not ${wanted}`);
      }
    }
  }

  #beginEpoch(): void {
    this.#book.beginEpoch(
      this.#chain.epoch.members.map(({ validatorId, stake, commissionBps, sharesPool }) => ({
        validatorId,
        stake,
        bps: commissionBps,
        shares: sharesPool,
      })),
    );
  }
}
