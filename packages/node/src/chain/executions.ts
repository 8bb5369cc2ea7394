/**
 * Executions of cuts at the next height: made when a cut is built or evaluated, and kept until one of them is
 * committed. An assertion of the ledger is not caught here: it stops the node.
 */
import type { EncodedCut } from 'svc-consensus/machine';
import {
  applyCut,
  type CutInput,
  type CutResult,
  checkCut,
  type Equivocation,
  type LedgerParameters,
  type LedgerPorts,
  type WireTransactions,
} from 'svc-ledger';
import type { LedgerStore } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { hashLabel, rootOfList } from 'svc-wasm/protocol';
import type { WorkBlock } from './work-blocks.ts';

/** The outcome of applying a cut to the state of the head, before anything is written. */
export interface CutOutcome {
  readonly input: CutInput;
  readonly result: CutResult;
  /** The blocks that the cut registers. */
  readonly blocks: readonly WorkBlock[];
}

/** A cut with its outcome, which is the one that its header names; `commit` makes it final. */
export interface Execution extends CutOutcome {
  readonly cut: EncodedCut;
}

export interface CutParts {
  readonly timeMillis: number;
  readonly previousSigners: bigint;
  readonly blocks: readonly WorkBlock[];
  readonly evidence: readonly Equivocation[];
}

/** Two proposals a round; a cut whose execution was dropped is executed again if it is decided after all. */
const EXECUTIONS_MAX = 8;

export class Executions {
  readonly #store: LedgerStore;
  readonly #ports: Omit<LedgerPorts, 'commitments'>;
  readonly #known = new Map<string, Execution>();
  /** The blocks that the cut at the next height executes. */
  #waiting: readonly WorkBlock[];

  constructor(
    store: LedgerStore,
    parameters: LedgerParameters,
    signatures: WireTransactions,
    waiting: readonly WorkBlock[],
  ) {
    this.#store = store;
    this.#ports = {
      chainId: store.chainId,
      parameters,
      hash: hashLabel,
      listRoot: rootOfList,
      signatures,
    };
    this.#waiting = waiting;
  }

  get waiting(): readonly WorkBlock[] {
    return this.#waiting;
  }

  get(value: string): Execution | undefined {
    return this.#known.get(value);
  }

  inputOf(height: number, parts: CutParts): CutInput {
    return {
      height,
      parentCutId: this.#store.head?.cutId ?? '',
      timeMillis: parts.timeMillis,
      previousSigners: parts.previousSigners,
      registered: parts.blocks.map(({ block }) => block),
      evidence: parts.evidence,
      executed: this.#waiting.map(({ block, transactions }) => ({ id: block.id, transactions })),
    };
  }

  /** Why the ledger would refuse the cut, or null. */
  faultOf(input: CutInput): string | null {
    const fault = checkCut(this.#ports.parameters, this.#store.view, input);
    if (fault === null) return null;
    return 'fault' in fault ? `${fault.part}: ${fault.fault}` : fault.part;
  }

  /** Applies a cut that has passed `faultOf`. With a state root that others vouch for, the trees follow later. */
  execute(
    input: CutInput,
    blocks: readonly WorkBlock[],
    vouchedRoot: string | null = null,
  ): CutOutcome {
    const ports = { ...this.#ports, commitments: this.#store.commitments };
    const vouched = vouchedRoot === null ? undefined : this.#store.vouched(vouchedRoot);
    return { input, result: applyCut(ports, this.#store.view, input, vouched), blocks };
  }

  remember(execution: Execution): Execution {
    this.#known.set(execution.cut.value, execution);
    const [oldest] = this.#known.keys();
    if (this.#known.size > EXECUTIONS_MAX && oldest !== undefined) this.#known.delete(oldest);
    return execution;
  }

  /** A cut has been committed; the next one executes what it registered. */
  advance({ blocks }: Execution): void {
    this.#known.clear();
    this.#waiting = blocks;
  }

  /** Reads ahead what executing the waiting blocks will need, without trees if these follow later. */
  async prepare(isDeferred: boolean): Promise<void> {
    if (this.#waiting.length === 0) return;
    const nothing = { timeMillis: 0, previousSigners: 0n, blocks: [], evidence: [] };
    const height = (this.#store.head?.height ?? 0) + 1;
    await this.#store.prepare(this.inputOf(height, nothing), { isDeferred });
  }
}

/** The first field of the header that is not what executing the cut gives, or null. */
export function commitmentFault({ fields }: EncodedCut, result: CutResult): string | null {
  const { workTarget } = result;
  const named = {
    validatorSetId: toHex(fields.validatorSetId),
    nextValidatorSetId: toHex(fields.nextValidatorSetId),
    historyRoot: toHex(fields.historyRoot),
    outcomeRoot: toHex(fields.outcomeRoot),
    changesRoot: toHex(fields.changesRoot),
    stateRoot: toHex(fields.stateRoot),
  };
  for (const name of Object.keys(named) as (keyof typeof named)[])
    if (named[name] !== result[name]) return name;
  return BigInt(`0x${toHex(fields.workTarget)}`) === workTarget ? null : 'workTarget';
}
