/**
 * The ledger of one node: the state after the cuts it has decided, computed by itself.
 */
import type { CutId } from 'svc-finality';
import type { CutInput, CutResult, EconomyRecord, Identifier } from 'svc-ledger';
import { applyCut, checkCut, SINGLE_KEY } from 'svc-ledger';
import { MemoryState, type MemoryTrees } from 'svc-ledger/testing';
import { toHex } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import type { LedgerCut } from './ledger-cut.ts';
import { commitmentOf, contentId, equivocationsOf } from './ledger-cut.ts';
import type { MinedBlock } from './mined-block.ts';
import type { LedgerSetting } from './setting.ts';

export interface Execution {
  readonly input: CutInput;
  readonly result: CutResult;
}

export class Replica {
  readonly #setting: LedgerSetting;
  readonly state: MemoryState = new MemoryState();
  /** Ids by height; genesis goes by the id of the chain. */
  readonly cutIds: Identifier[];
  readonly executions: Execution[] = [];
  #trees: MemoryTrees;
  #waiting: readonly MinedBlock[] = [];
  /** Of cuts at the next height. */
  readonly #known = new Map<CutId, Execution>();

  constructor(setting: LedgerSetting) {
    this.#setting = setting;
    this.state.apply(setting.genesis.changes);
    this.#trees = setting.genesis.trees as MemoryTrees;
    this.cutIds = [toHex(setting.chainId)];
  }

  get height(): number {
    return this.executions.length;
  }

  get tip(): Identifier {
    return this.cutIds[this.height] as Identifier;
  }

  get economy(): EconomyRecord {
    return this.state.get('economy', SINGLE_KEY) as EconomyRecord;
  }

  /** A removed validator without delegations leaves no record behind. */
  isRemoved(validatorIndex: number): boolean {
    const id = this.#setting.validatorIds[validatorIndex] as Identifier;
    const validator = this.state.get('validators', id);
    return validator === undefined || validator.status === 'removed';
  }

  /** The cut with what its header has to say, and the id that follows. */
  seal(cut: LedgerCut): LedgerCut {
    const input = this.#inputOf(cut);
    if (!this.#canApply(input)) return { ...cut, id: contentId(this.#setting, cut) };
    const result = this.#apply(input);
    const unnamed = { ...cut, commitment: commitmentOf(result) };
    const sealed = { ...unnamed, id: contentId(this.#setting, unnamed) };
    this.#known.set(sealed.id, { input, result });
    return sealed;
  }

  /** Whether the contents follow from the chain of this node. */
  holds(cut: LedgerCut): boolean {
    if (this.#known.has(cut.id)) return true;
    if (contentId(this.#setting, cut) !== cut.id) return false;
    const input = this.#inputOf(cut);
    if (!this.#canApply(input)) return false;
    const result = this.#apply(input);
    const expected = commitmentOf(result);
    const isEqual = Object.entries(expected).every(
      ([name, value]) => cut.commitment[name as keyof typeof expected] === value,
    );
    if (isEqual) this.#known.set(cut.id, { input, result });
    return isEqual;
  }

  /** Takes over what the cut does; false if it does not follow from the chain of this node. */
  commit(cut: LedgerCut): boolean {
    if (!this.holds(cut)) return false;
    const execution = this.#known.get(cut.id) as Execution;
    this.state.apply(execution.result.changes);
    this.#trees = execution.result.trees as MemoryTrees;
    this.executions.push(execution);
    this.cutIds.push(cut.id);
    this.#waiting = cut.registered;
    this.#known.clear();
    return true;
  }

  #canApply(input: CutInput): boolean {
    const anchorsHold = input.registered.every(
      ({ anchorHeight, anchorCutId }) => this.cutIds[anchorHeight] === anchorCutId,
    );
    return anchorsHold && checkCut(this.#setting.parameters, this.state, input) === null;
  }

  #apply(input: CutInput): CutResult {
    const { parameters, wires: signatures } = this.#setting;
    const chainId = toHex(this.#setting.chainId);
    const ports = { chainId, parameters, hash: hashLabel, signatures, commitments: this.#trees };
    return applyCut(ports, this.state, input);
  }

  #inputOf(cut: LedgerCut): CutInput {
    return {
      height: cut.height,
      timeMillis: Number(cut.timeMs),
      previousSigners: cut.previousSigners,
      registered: cut.registered.map(({ block }) => block),
      evidence: equivocationsOf(this.#setting, cut),
      executed: this.#waiting.map(({ block, transactions }) => ({ id: block.id, transactions })),
    };
  }
}
