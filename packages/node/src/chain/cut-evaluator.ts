/**
 * Builds the next cut, and evaluates cuts that others built: the same cut gives the same execution object until
 * the chain continues. Called inside the writer's queue only; it changes nothing but its memory of executions.
 */
import { decodeCut, type EncodedCut } from 'svc-consensus/machine';
import {
  BLOCKS_PER_CUT_MAX,
  blockFault,
  bytesOf,
  compareBlocks,
  type EconomyRecord,
  type Equivocation,
  earliestMillis,
  RecentBlocks,
  registrationFault,
  SINGLE_KEY,
  type StateView,
  targetBytes,
} from 'svc-ledger';
import type { BlockPool, PooledBlock } from 'svc-serve/ports';
import type { LedgerStore } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import {
  type Evidence,
  encodeCutBody,
  encodeCutHeader,
  evidenceRoot,
  PROTOCOL_VERSION,
  registeredRoot,
} from 'svc-wasm/protocol';
import {
  type Evaluation,
  fault,
  headerFault,
  missingBlocks,
  missingSet,
  notNext,
} from './evaluation.ts';
import { type EvidenceVerdict, judgeEvidence } from './evidence.ts';
import { type CutOutcome, commitmentFault, type Execution, type Executions } from './executions.ts';
import type { NextHeight } from './next-height.ts';
import type { RecentCuts } from './recent-cuts.ts';
import type { ValidatorSets } from './validator-sets.ts';
import type { WorkBlock } from './work-blocks.ts';

interface CutFrame {
  readonly chainId: Uint8Array;
  /** The index of the proposer in the set that signs the cut. */
  readonly proposer: number;
  readonly previousRound: number;
  readonly evidence: readonly Evidence[];
}

/**
 * Writes the header and body of a cut from its outcome on the ledger.
 */
function assembleCut(frame: CutFrame, { input, result, blocks }: CutOutcome): EncodedCut {
  const blockIds = blocks.map(({ block }) => bytesOf(block.id));
  const header = encodeCutHeader({
    protocolVersion: PROTOCOL_VERSION,
    chainId: frame.chainId,
    height: BigInt(input.height),
    parentCutId: bytesOf(input.parentCutId),
    historyRoot: bytesOf(result.historyRoot),
    proposer: frame.proposer,
    time: BigInt(input.timeMillis),
    validatorSetId: bytesOf(result.validatorSetId),
    nextValidatorSetId: bytesOf(result.nextValidatorSetId),
    previousRound: frame.previousRound,
    previousSigners: input.previousSigners,
    registeredRoot: registeredRoot(blockIds),
    registeredCount: blocks.length,
    registeredBytes: blocks.reduce((sum, { block }) => sum + block.bodyBytes, 0),
    evidenceRoot: evidenceRoot(frame.evidence),
    outcomeRoot: bytesOf(result.outcomeRoot),
    changesRoot: bytesOf(result.changesRoot),
    stateRoot: bytesOf(result.stateRoot),
    workTarget: targetBytes(result.workTarget),
  });
  return decodeCut(header, encodeCutBody({ blockIds, evidence: frame.evidence }));
}

const BLOCK_AGE_MILLIS = 500;
/** Networks with a faster pace wait for a fifth of it. */
const BLOCK_AGE_PACE_PARTS = 5;

/** How long a proposer has had a block before it registers it. */
function blockAgeMillisMin(paceMillis: number): number {
  return Math.min(BLOCK_AGE_MILLIS, Math.floor(paceMillis / BLOCK_AGE_PACE_PARTS));
}

export function selectBlocks(
  candidates: readonly PooledBlock[],
  view: StateView,
  height: number,
  receivedBefore: number,
  isAnchored: (block: PooledBlock['block']) => boolean,
): PooledBlock[] {
  const old = candidates
    .filter(
      ({ receivedAtMillis, block }) => receivedAtMillis <= receivedBefore && isAnchored(block),
    )
    .sort((a, b) => compareBlocks(a.block, b.block))
    .slice(0, BLOCKS_PER_CUT_MAX);
  const blocks = old.map(({ block }) => block);
  if (registrationFault(view, height, blocks) === null) return old;
  const recent = new RecentBlocks(view, height - 1);
  const bodies = new Set<string>();
  return old.filter(({ block }) => {
    if (bodies.has(block.bodyRoot) || blockFault(view, height, block, recent) !== null)
      return false;
    bodies.add(block.bodyRoot);
    return true;
  });
}

/** The part of the block pool that a chain uses. */
export type BlockSource = Pick<BlockPool, 'get' | 'registrable'>;

export interface BuildRequest {
  readonly height: number;
  /** The proposer's index in the set. */
  readonly proposer: number;
  readonly previousRound: number;
  readonly previousSigners: bigint;
  /** In the order of preference; evidence that the ledger would not accept now is left out. */
  readonly evidence: readonly Evidence[];
}

export interface EvaluateRequest {
  /** Others have made the cut final, so that its evidence may be of sets which this node has forgotten. */
  readonly isCertified: boolean;
  /** Its state root is taken for the one that executing it leads to; the store compares when a group of such cuts ends. */
  readonly isDeferred?: boolean;
}

interface CutEvaluatorPorts {
  readonly store: LedgerStore;
  readonly chainId: Uint8Array;
  readonly sets: ValidatorSets;
  readonly recent: RecentCuts;
  readonly executions: Executions;
}

interface Charges {
  readonly evidence: Evidence[];
  readonly offences: Equivocation[];
}

const EVIDENCE_MAX = 4;

export class CutEvaluator {
  readonly #ports: CutEvaluatorPorts;

  constructor(ports: CutEvaluatorPorts) {
    this.#ports = ports;
  }

  build(
    request: BuildRequest,
    { height }: NextHeight,
    pool: Pick<BlockSource, 'registrable'>,
    nowMillis: number,
  ): Execution {
    const { store, chainId, executions } = this.#ports;
    const economy = this.#economy;
    const receivedBefore = nowMillis - blockAgeMillisMin(economy.paceMillis);
    const candidates = pool.registrable(height);
    const blocks = selectBlocks(candidates, store.view, height, receivedBefore, this.#isAnchored);
    const timeMillis = Math.max(nowMillis, earliestMillis(economy));
    const { evidence, offences } = this.#punishable(request.evidence, height);
    const { previousRound, previousSigners, proposer } = request;
    const parts = { timeMillis, previousSigners, blocks, evidence: offences };
    const outcome = executions.execute(executions.inputOf(height, parts), blocks);
    const frame = { chainId, proposer, previousRound, evidence };
    return executions.remember({ ...outcome, cut: assembleCut(frame, outcome) });
  }

  evaluate(
    cut: EncodedCut,
    next: NextHeight,
    findBlock: (id: string) => WorkBlock | undefined,
    { isCertified, isDeferred = false }: EvaluateRequest,
  ): Evaluation {
    const { executions, chainId } = this.#ports;
    const { height } = cut.fields;
    if (height !== BigInt(next.height)) return notNext(height, next.height);
    const known = executions.get(cut.value);
    if (known !== undefined) return { type: 'execution', execution: known };
    const wrong = headerFault(cut, next, chainId, this.#parentCutId);
    if (wrong !== null) return fault(wrong);
    const evidence = this.#judgeEvidence(cut.content.evidence, next.height, isCertified);
    if (evidence.type === 'invalid') return fault(evidence.reason);
    if (evidence.type === 'unknown') return missingSet(evidence.setId);
    const ids = cut.content.blockIds.map((id) => toHex(id));
    const blocks = ids.map(findBlock);
    const missing = ids.filter((_, place) => blocks[place] === undefined);
    if (missing.length > 0) return missingBlocks(missing);
    return this.#execute(cut, blocks as WorkBlock[], evidence.offences, isDeferred);
  }

  #execute(
    cut: EncodedCut,
    blocks: readonly WorkBlock[],
    evidence: readonly Equivocation[],
    isDeferred: boolean,
  ): Evaluation {
    const { executions } = this.#ports;
    const { fields } = cut;
    const bytes = blocks.reduce((sum, { block }) => sum + block.bodyBytes, 0);
    if (fields.registeredBytes !== bytes) return fault('registered bytes');
    if (!blocks.every(({ block }) => this.#isAnchored(block))) return fault('an unknown anchor');
    const input = executions.inputOf(Number(fields.height), {
      timeMillis: Number(fields.time),
      previousSigners: fields.previousSigners,
      blocks,
      evidence,
    });
    const refusal = executions.faultOf(input);
    if (refusal !== null) return fault(refusal);
    const vouchedRoot = isDeferred ? toHex(fields.stateRoot) : null;
    const outcome = executions.execute(input, blocks, vouchedRoot);
    const difference = commitmentFault(cut, outcome.result);
    if (difference !== null) return fault(`another ${difference}`);
    return { type: 'execution', execution: executions.remember({ ...outcome, cut }) };
  }

  get #economy(): EconomyRecord {
    return this.#ports.store.view.get('economy', SINGLE_KEY) as EconomyRecord;
  }

  get #parentCutId(): string {
    return this.#ports.store.head?.cutId ?? '';
  }

  readonly #isAnchored = ({ anchorHeight, anchorCutId }: PooledBlock['block']): boolean =>
    this.#ports.recent.get(anchorHeight)?.cutId === anchorCutId;

  #judgeEvidence(
    evidence: readonly Evidence[],
    height: number,
    isCertified = false,
  ): EvidenceVerdict {
    const { sets, chainId } = this.#ports;
    return judgeEvidence(evidence, sets, chainId, { height, isCertified });
  }

  /** Evidence that the ledger will accept: it convicts a validator that has not been punished yet. */
  #punishable(candidates: readonly Evidence[], height: number): Charges {
    const { executions } = this.#ports;
    const timeMillis = earliestMillis(this.#economy);
    const charges: Charges = { evidence: [], offences: [] };
    for (const candidate of candidates) {
      if (charges.evidence.length === EVIDENCE_MAX) break;
      const verdict = this.#judgeEvidence([candidate], height);
      if (verdict.type !== 'convicts') continue;
      const offences = [...charges.offences, ...verdict.offences];
      const parts = { timeMillis, previousSigners: 0n, blocks: [], evidence: offences };
      if (executions.faultOf(executions.inputOf(height, parts)) !== null) continue;
      charges.evidence.push(candidate);
      charges.offences.push(...verdict.offences);
    }
    return charges;
  }
}
