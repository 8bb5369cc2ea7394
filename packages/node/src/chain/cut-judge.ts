/**
 * Builds the next cut and judges cuts that others built. Runs inside the writer's queue only.
 */
import type { EncodedCut } from 'svc-finality';
import { type EconomyRecord, type Equivocation, earliestMillis, SINGLE_KEY } from 'svc-ledger';
import type { LedgerStore } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import type { Evidence } from 'svc-wasm/protocol';
import type { BlockPool, PooledBlock } from '../ports/blocks.ts';
import { assembleCut } from './assemble-cut.ts';
import { type EvidenceVerdict, judgeEvidence } from './evidence.ts';
import { commitmentFault, type Executions } from './executions.ts';
import {
  headerFault,
  invalid,
  type Judgement,
  missingBlocks,
  notNext,
  UNKNOWN_SET,
  VALID,
} from './judgement.ts';
import type { NextHeight } from './next-height.ts';
import type { RecentCuts } from './recent-cuts.ts';
import { heldMillis, selectBlocks } from './select-blocks.ts';
import type { ValidatorSets } from './validator-sets.ts';
import type { WorkBlock } from './work-blocks.ts';

/** What a chain needs of the pool of blocks. */
export type BlockSource = Pick<BlockPool, 'get' | 'registrable'>;

export interface BuildRequest {
  readonly height: number;
  /** The proposer's index in the set. */
  readonly proposer: number;
  readonly previousRound: number;
  readonly previousSigners: bigint;
  /** In the order of preference; what cannot be accepted now is left out. */
  readonly evidence: readonly Evidence[];
}

export interface JudgeParts {
  readonly store: LedgerStore;
  readonly chainId: Uint8Array;
  readonly sets: ValidatorSets;
  readonly recent: RecentCuts;
  readonly executions: Executions;
  readonly blocks: () => BlockSource;
  readonly next: () => NextHeight;
}

interface Charges {
  readonly evidence: Evidence[];
  readonly offences: Equivocation[];
}

type FindBlock = (id: string) => WorkBlock | undefined;

const EVIDENCE_MAX = 4;

export class CutJudge {
  readonly #parts: JudgeParts;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
  }

  build(request: BuildRequest, nowMillis: number): EncodedCut {
    const { store, chainId, executions } = this.#parts;
    const { height } = this.#parts.next();
    const economy = this.#economy;
    const receivedBefore = nowMillis - heldMillis(economy.paceMillis);
    const candidates = this.#parts.blocks().registrable(height);
    const blocks = selectBlocks(candidates, store.view, height, receivedBefore, this.#isAnchored);
    const timeMillis = Math.max(nowMillis, earliestMillis(economy));
    const { evidence, offences } = this.#punishable(request.evidence);
    const { previousRound, previousSigners, proposer } = request;
    const parts = { timeMillis, previousSigners, blocks, evidence: offences };
    const execution = executions.run(executions.inputOf(height, parts), blocks);
    const parentCutId = this.#parentCutId;
    const frame = { chainId, parentCutId, proposer, previousRound, evidence };
    const cut = assembleCut(frame, execution);
    executions.remember(cut.value, execution);
    return cut;
  }

  judge(cut: EncodedCut, findBlock: FindBlock): Judgement {
    const { executions, chainId } = this.#parts;
    const next = this.#parts.next();
    const { height } = cut.fields;
    if (height !== BigInt(next.height)) return notNext(height, next.height);
    if (executions.of(cut.value) !== undefined) return VALID;
    const fault = headerFault(cut, next, chainId, this.#parentCutId);
    if (fault !== null) return invalid(fault);
    const evidence = this.#judgeEvidence(cut.content.evidence);
    if (evidence.type === 'invalid') return evidence;
    if (evidence.type === 'unknown') return UNKNOWN_SET;
    const ids = cut.content.blockIds.map((id) => toHex(id));
    const blocks = ids.map(findBlock);
    const missing = ids.filter((_, place) => blocks[place] === undefined);
    if (missing.length > 0) return missingBlocks(missing);
    return this.#execute(cut, blocks as WorkBlock[], evidence.offences);
  }

  #execute(
    cut: EncodedCut,
    blocks: readonly WorkBlock[],
    evidence: Extract<EvidenceVerdict, { type: 'convicts' }>['offences'],
  ): Judgement {
    const { executions } = this.#parts;
    const { fields } = cut;
    const bytes = blocks.reduce((sum, { block }) => sum + block.bodyBytes, 0);
    if (fields.registeredBytes !== bytes) return invalid('registered bytes');
    if (!blocks.every(({ block }) => this.#isAnchored(block))) return invalid('an unknown anchor');
    const input = executions.inputOf(Number(fields.height), {
      timeMillis: Number(fields.time),
      previousSigners: fields.previousSigners,
      blocks,
      evidence,
    });
    const fault = executions.faultOf(input);
    if (fault !== null) return invalid(fault);
    const execution = executions.run(input, blocks);
    const difference = commitmentFault(cut, execution.result);
    if (difference !== null) return invalid(`another ${difference}`);
    executions.remember(cut.value, execution);
    return VALID;
  }

  get #economy(): EconomyRecord {
    return this.#parts.store.view.get('economy', SINGLE_KEY) as EconomyRecord;
  }

  get #parentCutId(): string {
    return this.#parts.store.head?.cutId ?? '';
  }

  readonly #isAnchored = ({ anchorHeight, anchorCutId }: PooledBlock['block']): boolean =>
    this.#parts.recent.get(anchorHeight)?.cutId === anchorCutId;

  #judgeEvidence(evidence: readonly Evidence[]): EvidenceVerdict {
    const { sets, chainId } = this.#parts;
    return judgeEvidence(evidence, sets, chainId, this.#parts.next().height);
  }

  /** Evidence that the ledger will accept: it convicts, of somebody who has not been punished yet. */
  #punishable(candidates: readonly Evidence[]): Charges {
    const { executions } = this.#parts;
    const { height } = this.#parts.next();
    const timeMillis = earliestMillis(this.#economy);
    const charges: Charges = { evidence: [], offences: [] };
    for (const candidate of candidates) {
      if (charges.evidence.length === EVIDENCE_MAX) break;
      const verdict = this.#judgeEvidence([candidate]);
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
