/**
 * The chain of a node as a validator on it sees it: certificates and evidence are typed values there and bytes here.
 */
import {
  type CommitCertificate,
  type Conflict,
  type CutId,
  decodeCommitCertificate,
  decodeCut,
  type EncodedCut,
  encodeCertificate,
  evidenceFields,
} from 'svc-consensus/machine';
import {
  type BlockBytes,
  type BuildRequest,
  committeeOf,
  type EvaluateOptions,
  type Evaluation,
  type NextHeight,
  type OverlayMember,
  type StoredDecision,
  type ValidatorChain,
} from 'svc-consensus/shell';
import { type ChainReader, readAtHead } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { type Evidence, PROTOCOL_VERSION, type ValidatorSet } from 'svc-wasm/protocol';

import type { ChainCore } from '../chain/chain-core.ts';
import type { Execution } from '../chain/executions.ts';

export class ChainPort implements ValidatorChain {
  readonly protocolVersion = PROTOCOL_VERSION;
  readonly #chain: ChainCore;

  constructor(chain: ChainCore) {
    this.#chain = chain;
  }

  get network(): string {
    return this.#chain.genesis.network;
  }

  get paceMillis(): number {
    return this.#chain.genesis.paceMillis;
  }

  get interval(): number {
    return this.#chain.parameters.interval;
  }

  get head(): { readonly height: number } {
    return this.#chain.head;
  }

  get next(): NextHeight {
    return this.#chain.next;
  }

  get headCertificate(): CommitCertificate | undefined {
    const { headCertificate, wire } = this.#chain;
    return headCertificate === null ? undefined : decodeCommitCertificate(wire, headCertificate);
  }

  get finalized(): ValidatorChain['finalized'] {
    return this.#chain.finalized;
  }

  setAt(height: number): ValidatorSet | undefined {
    return this.#chain.setAt(height);
  }

  overlayMembers(): readonly OverlayMember[] {
    const { next, view } = this.#chain;
    const members = next.validators.validators.map(({ id }) => toHex(id));
    return committeeOf(view, members, next.epoch + 1);
  }

  isPunished(validatorId: string): boolean {
    const validator = this.#chain.view.get('validators', validatorId);
    return validator === undefined || validator.status === 'removed';
  }

  build(request: BuildRequest, isWanted: () => boolean): Promise<EncodedCut | undefined> {
    const { conflicts, ...rest } = request;
    const evidence = conflicts.flatMap((conflict) => this.#evidenceOf(conflict));
    return this.#chain.build({ ...rest, evidence }, isWanted);
  }

  evaluate(cut: EncodedCut, options: EvaluateOptions): Promise<Evaluation> {
    return this.#chain.evaluate(cut, options);
  }

  offer(block: BlockBytes): void {
    this.#chain.offer(block);
  }

  commit(execution: Execution, certificate: CommitCertificate): Promise<unknown> {
    return this.#chain.commit(execution, encodeCertificate(this.#chain.wire, certificate));
  }

  async storedCut(height: number, value: CutId): Promise<EncodedCut | undefined> {
    const recent = this.#chain.recentCutId(height);
    if (recent !== undefined && recent !== value) return undefined;
    const cut = await readAtHead(this.#chain, (reader) => readCut(reader, height));
    return cut?.value === value ? cut : undefined;
  }

  async storedDecision(height: number): Promise<StoredDecision | undefined> {
    const { cut, certificate } = await readAtHead(this.#chain, async (reader) => ({
      cut: await readCut(reader, height),
      certificate: await reader.certificate(height),
    }));
    if (cut === undefined || certificate === undefined) return undefined;
    return { cut, certificate: decodeCommitCertificate(this.#chain.wire, certificate) };
  }

  storedBlocks(ids: readonly string[]): Promise<readonly BlockBytes[]> {
    return readAtHead(this.#chain, async (reader) => {
      const found: BlockBytes[] = [];
      for (const id of ids) {
        const header = await reader.blockHeader(id);
        const body = await reader.blockBody(id);
        if (header !== undefined && body !== undefined) found.push({ id, header, body });
      }
      return found;
    });
  }

  /** Evidence about a set that is not known here any more cannot be proven. */
  #evidenceOf(conflict: Conflict): Evidence[] {
    const { wire } = this.#chain;
    const isKnown = wire.setIdAt(conflict.first.height) !== undefined;
    return isKnown ? [evidenceFields(wire, conflict)] : [];
  }
}

async function readCut(reader: ChainReader, height: number): Promise<EncodedCut | undefined> {
  const row = await reader.cut(height);
  const body = await reader.cutBody(height);
  return row === undefined || body === undefined ? undefined : decodeCut(row.header, body);
}
