/**
 * Answers validators that ask for cuts, blocks and decisions, from memory or from the store, within what each
 * of them may ask for.
 */
import {
  type CutId,
  type CutRequest,
  decodeCommitCertificate,
  decodeCut,
  type EncodedCut,
} from 'svc-finality';
import type { BlockBytes, ChainReader } from 'svc-storage';
import { SvcError } from 'svc-wasm/base';
import type { ChainCore } from '../chain/chain-core.ts';
import type { BlockPool } from '../ports/blocks.ts';
import type { HeldCuts } from './held-cuts.ts';
import type { Speaker } from './speaker.ts';

export interface ServingPorts {
  readonly chain: ChainCore;
  readonly blocks: Pick<BlockPool, 'get'>;
  readonly cuts: HeldCuts;
  readonly speaker: Speaker;
  readonly now: () => number;
  readonly onFatal: (error: unknown) => void;
}

/** Answers to one validator in one second; a whole cut of blocks takes 32 of them. */
const ANSWERS_PER_SECOND_MAX = 96;
const SECOND = 1_000;

export class Serving {
  readonly #ports: ServingPorts;
  readonly #given = new Map<string, number>();
  #second = 0;

  constructor(ports: ServingPorts) {
    this.#ports = ports;
  }

  cut(to: string, { height, value }: CutRequest): void {
    this.#answer(to, async () => {
      const { cuts, speaker } = this.#ports;
      const cut = cuts.get(value) ?? (await this.#storedCut(height, value));
      if (cut !== undefined) speaker.send(to, { kind: 'cut', cut });
    });
  }

  blocks(to: string, ids: readonly string[]): void {
    this.#answer(to, async () => {
      for (const block of await this.#readBlocks(ids))
        this.#ports.speaker.send(to, { kind: 'block', header: block.header, body: block.body });
    });
  }

  /** The decision of a height that lies behind. */
  decision(to: string, height: number): void {
    this.#answer(to, async () => {
      const { chain, speaker } = this.#ports;
      const found = await this.#read(async (reader) => ({
        cut: await readCut(reader, height),
        certificate: await reader.certificate(height),
      }));
      if (found.cut === undefined || found.certificate === undefined) return;
      const certificate = decodeCommitCertificate(chain.wire, found.certificate);
      speaker.send(to, { kind: 'decision', certificate, cut: found.cut });
    });
  }

  #answer(to: string, give: () => Promise<void>): void {
    const second = Math.floor(this.#ports.now() / SECOND);
    if (second !== this.#second) this.#given.clear();
    this.#second = second;
    const given = this.#given.get(to) ?? 0;
    if (given >= ANSWERS_PER_SECOND_MAX) return;
    this.#given.set(to, given + 1);
    give().catch((error: unknown) => {
      // The set of an old height may no longer be known here.
      if (!(error instanceof SvcError)) this.#ports.onFatal(error);
    });
  }

  async #storedCut(height: number, value: CutId): Promise<EncodedCut | undefined> {
    if (this.#ports.chain.recentCutId(height) !== value) return undefined;
    return this.#read((reader) => readCut(reader, height));
  }

  async #readBlocks(ids: readonly string[]): Promise<BlockBytes[]> {
    const found: BlockBytes[] = [];
    const missing: string[] = [];
    for (const id of ids) {
      const pooled = this.#ports.blocks.get(id);
      if (pooled === undefined) missing.push(id);
      else found.push(pooled.bytes);
    }
    if (missing.length === 0) return found;
    await this.#read(async (reader) => {
      for (const id of missing) {
        const header = await reader.blockHeader(id);
        const body = await reader.blockBody(id);
        if (header !== undefined && body !== undefined) found.push({ id, header, body });
      }
    });
    return found;
  }

  async #read<T>(read: (reader: ChainReader) => Promise<T>): Promise<T> {
    const reader = this.#ports.chain.reader();
    try {
      return await read(reader);
    } finally {
      await reader.close();
    }
  }
}

async function readCut(reader: ChainReader, height: number): Promise<EncodedCut | undefined> {
  const row = await reader.cut(height);
  const body = await reader.cutBody(height);
  return row === undefined || body === undefined ? undefined : decodeCut(row.header, body);
}
