/**
 * The ledger of one node: cuts with contents, and the state after the cuts it has decided, computed by itself. The id of a
 * cut is the hash of its real header, so changed contents are another cut.
 */
import {
  type CutId,
  type Evidence,
  evidenceFields,
  type SignedMessage,
  type WireContext,
} from 'svc-consensus/machine';
import {
  applyCut,
  bytesOf,
  type CutInput,
  type CutResult,
  checkCut,
  type EconomyRecord,
  type EpochRecord,
  type Equivocation,
  type ExecutableTransaction,
  epochOf,
  type Identifier,
  type RegisteredBlock,
  SINGLE_KEY,
  targetBytes,
  type ValidatorRecord,
} from 'svc-ledger';
import { MemoryState, type MemoryTrees } from 'svc-ledger/testing';
import type { BlockBytes } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import {
  cutId,
  decodeCutBody,
  encodeCutBody,
  encodeCutHeader,
  evidenceRoot,
  hashLabel,
  PROTOCOL_VERSION,
  registeredRoot,
  rootOfList,
} from 'svc-wasm/protocol';
import { type Cut, GENESIS_ID } from '../world/cut.ts';
import type { LedgerSetting } from './setting.ts';

/** A block of the simulation's miners, in the bytes of the protocol and as the ledger takes it. */
export interface MinedBlock {
  readonly bytes: BlockBytes;
  readonly block: RegisteredBlock;
  readonly transactions: readonly ExecutableTransaction[];
}

export type Commitment = Pick<
  CutResult,
  | 'stateRoot'
  | 'outcomeRoot'
  | 'changesRoot'
  | 'historyRoot'
  | 'workTarget'
  | 'validatorSetId'
  | 'nextValidatorSetId'
>;

export interface LedgerCut extends Cut {
  readonly registered: readonly MinedBlock[];
  readonly commitment: Commitment;
}

const SIGNATURE_BYTES = 3_309;

function commitmentOf(result: CutResult): Commitment {
  const { stateRoot, outcomeRoot, changesRoot, historyRoot, workTarget } = result;
  const { validatorSetId, nextValidatorSetId } = result;
  const roots = { stateRoot, outcomeRoot, changesRoot, historyRoot };
  return { ...roots, workTarget, validatorSetId, nextValidatorSetId };
}

/** Every cut of a ledger simulation has contents; actors change them but never drop them. */
export function asLedgerCut(cut: Cut): LedgerCut {
  if (!('registered' in cut && 'commitment' in cut)) throw new Error(`cut ${cut.id} is empty`);
  return cut as LedgerCut;
}

function parentIdOf(setting: LedgerSetting, { parentId }: Cut): Identifier {
  return parentId === GENESIS_ID ? toHex(setting.chainId) : parentId;
}

/** The id of a cut with this header. */
function idOfHeader({ header }: EncodedCut): CutId {
  return toHex(cutId(header)) as CutId;
}

export interface EncodedCut {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

/** The context knows the sets that evidence was signed in. */
function encodeCut(setting: LedgerSetting, cut: LedgerCut, context: WireContext): EncodedCut {
  const evidence = cut.evidence.map((item) => fieldsOf(context, item));
  const blockIds = cut.registered.map(({ block }) => bytesOf(block.id));
  const body = encodeCutBody({ blockIds, evidence });
  const decoded = decodeCutBody(body);
  const { stateRoot, outcomeRoot, changesRoot, historyRoot, workTarget, ...sets } = cut.commitment;
  const header = encodeCutHeader({
    protocolVersion: PROTOCOL_VERSION,
    chainId: setting.chainId,
    height: BigInt(cut.height),
    parentCutId: bytesOf(parentIdOf(setting, cut)),
    historyRoot: bytesOf(historyRoot),
    proposer: cut.proposer,
    time: cut.timeMs,
    validatorSetId: bytesOf(sets.validatorSetId),
    nextValidatorSetId: bytesOf(sets.nextValidatorSetId),
    previousRound: Math.max(0, cut.previousRound),
    previousSigners: cut.previousSigners,
    registeredRoot: registeredRoot(decoded.blockIds),
    registeredCount: blockIds.length,
    registeredBytes: cut.registered.reduce((sum, { block }) => sum + block.bodyBytes, 0),
    evidenceRoot: evidenceRoot(decoded.evidence),
    outcomeRoot: bytesOf(outcomeRoot),
    changesRoot: bytesOf(changesRoot),
    stateRoot: bytesOf(stateRoot),
    workTarget: targetBytes(workTarget),
  });
  return { header, body };
}

function fieldsOf(context: WireContext, { first, second }: Evidence) {
  return evidenceFields(context, { first: padded(first), second: padded(second) });
}

/** Signatures of the simulation are short; on the wire they have their full length. */
function padded(message: SignedMessage): SignedMessage {
  const signature = new Uint8Array(SIGNATURE_BYTES);
  signature.set(message.signature);
  return { ...message, signature };
}

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
  /** The first record of each epoch that has begun: who was elected. */
  readonly #epochs: EpochRecord[] = [];
  #trees: MemoryTrees;
  #waiting: readonly MinedBlock[] = [];
  /** Of cuts at the next height. */
  readonly #known = new Map<CutId, Execution>();

  constructor(setting: LedgerSetting) {
    this.#setting = setting;
    this.state.apply(setting.genesis.changes);
    this.#trees = setting.genesis.trees as MemoryTrees;
    this.#epochs.push(this.epochRecord);
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

  /** Of the epoch of the next cut. */
  get epochRecord(): EpochRecord {
    return this.state.get('epoch', SINGLE_KEY) as EpochRecord;
  }

  /** What a validator is in the ledger; it has no id before its registration. */
  recordOf(validator: number): readonly [Identifier, ValidatorRecord | undefined] {
    const id = this.#setting.roll.idOf(validator) ?? '';
    return [id, id === '' ? undefined : this.state.get('validators', id)];
  }

  /** A removed validator without delegations leaves no record behind. */
  isRemoved(validator: number): boolean {
    const [id, record] = this.recordOf(validator);
    return id !== '' && (record === undefined || record.status === 'removed');
  }

  /** How many keys the validator had before the one that the ledger names now. */
  keyGenerationOf(validator: number): number {
    const [, record] = this.recordOf(validator);
    return record === undefined
      ? 0
      : this.#setting.holderOf(record.consensusKey.publicKey).generation;
  }

  /** Whether this node can know who sits at a height. */
  knowsSetAt(height: number): boolean {
    return this.#epochAt(height) !== undefined;
  }

  /** The bytes of a cut, with the sets that this node knows. */
  encode(cut: LedgerCut): EncodedCut {
    return encodeCut(this.#setting, cut, this.#wireContext);
  }

  contentId(cut: LedgerCut): CutId {
    return idOfHeader(this.encode(cut));
  }

  #epochAt(height: number): EpochRecord | undefined {
    return this.#epochs[epochOf(Math.max(1, height), this.#setting.parameters.interval)];
  }

  get #wireContext(): WireContext {
    const { chainId } = this.#setting;
    return {
      chainId,
      setIdAt: (height) => {
        const epoch = this.#epochAt(height);
        return epoch === undefined ? undefined : bytesOf(epoch.validatorSetId);
      },
    };
  }

  /** Whom evidence names: the seat is one of the committee of the offence. */
  #equivocationsIn({ height, evidence }: LedgerCut): Equivocation[] {
    const { judgedAt } = this.#setting;
    return evidence.map(({ first }) => {
      const members = this.#epochAt(judgedAt(first.height, height))?.members;
      return {
        validatorId: members?.[first.validatorIndex]?.validatorId ?? '',
        height: first.height,
      };
    });
  }

  /** The cut with what its header has to say, and the id that follows. */
  seal(cut: LedgerCut): LedgerCut {
    const input = this.#inputOf(cut);
    if (!this.#canApply(input)) return { ...cut, id: this.contentId(cut) };
    const result = this.#apply(input);
    const unnamed = { ...cut, commitment: commitmentOf(result) };
    const sealed = { ...unnamed, id: this.contentId(unnamed) };
    this.#known.set(sealed.id, { input, result });
    return sealed;
  }

  /** Whether the contents follow from the chain of this node. */
  holds(cut: LedgerCut): boolean {
    if (this.#known.has(cut.id)) return true;
    if (this.contentId(cut) !== cut.id) return false;
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
    if (this.epochRecord.epoch === this.#epochs.length) this.#epochs.push(this.epochRecord);
    this.#enrol(execution);
    this.#waiting = cut.registered;
    this.#known.clear();
    return true;
  }

  #enrol({ result }: Execution): void {
    const { roll, holderOf } = this.#setting;
    for (const { type, validatorId } of result.events.validators) {
      const record = this.state.get('validators', validatorId);
      if (type === 'registered' && record !== undefined)
        roll.enrol(holderOf(record.consensusKey.publicKey).validator, validatorId);
    }
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
    const ports = {
      chainId,
      parameters,
      hash: hashLabel,
      listRoot: rootOfList,
      signatures,
      commitments: this.#trees,
    };
    return applyCut(ports, this.state, input);
  }

  #inputOf(cut: LedgerCut): CutInput {
    return {
      height: cut.height,
      parentCutId: parentIdOf(this.#setting, cut),
      timeMillis: Number(cut.timeMs),
      previousSigners: cut.previousSigners,
      registered: cut.registered.map(({ block }) => block),
      evidence: this.#equivocationsIn(cut),
      executed: this.#waiting.map(({ block, transactions }) => ({ id: block.id, transactions })),
    };
  }
}
