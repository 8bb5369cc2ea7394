/**
 * Puts headers, bodies, certificates and blocks back that were lost, from an untrusted source: a
 * header must have the id that the cut after it names, a body the roots of its header, a block its id, a certificate
 * the signatures of its set.
 */
import { equalBytes, LABELS, SvcError, toHex } from 'svc-wasm/base';
import {
  checkCut,
  cutId,
  decodeBlockHeader,
  decodeCutBody,
  decodeCutHeader,
  evidenceRoot,
  hashLabel,
  registeredRoot,
  type ValidatorSet,
} from 'svc-wasm/protocol';
import type { Head, Retention } from '../codec/meta-records.ts';
import { Packer } from '../codec/packer.ts';
import { ID_BYTES } from '../codec/sizes.ts';
import { BatchBuilder } from '../commit/batch-builder.ts';
import type { BlockBytes } from '../commit/cut-commit.ts';
import { heightKey, hexKey } from '../commit/keys.ts';
import { writeBlocks } from '../commit/write-chain.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { KeyValueStore } from '../key-value/key-value-store.ts';
import { readChecked } from '../reader/cut-reader.ts';
import { CERTIFICATE_CUTS, type CheckpointRules, isCheckpoint } from '../retention.ts';
import type { Losses } from './losses.ts';

/** A source of the chain. The caller checks its answers, which are undefined where it has none. */
export interface ChainSource {
  header(height: number): Promise<Uint8Array | undefined>;
  cutBody(height: number, header: Uint8Array): Promise<Uint8Array | undefined>;
  certificate(height: number): Promise<Uint8Array | undefined>;
  /** The validator set with an id, which is a hash of it. */
  validatorSet(setId: string): Promise<ValidatorSet | undefined>;
  blocks(ids: readonly string[]): Promise<readonly BlockBytes[]>;
}

export interface FetchOptions {
  readonly store: KeyValueStore;
  readonly losses: Losses;
  readonly chainId: Uint8Array;
  readonly head: Pick<Head, 'height' | 'cutId'>;
  readonly retention: Retention;
  /** The first cut whose body was kept. */
  readonly bodiesFrom: number;
  /** The rules of which certificates are kept for ever. */
  readonly rules: CheckpointRules;
  /** Asked for only if something has to be fetched. */
  readonly source: () => Promise<ChainSource>;
}

export interface Fetched {
  headers: number;
  cutBodies: number;
  certificates: number;
  blocks: number;
  /** Certificates that may have been there and that the source could not prove; later ones prove the same cuts. */
  certificatesMissing: number;
}

const BLOCKS_PER_REQUEST = 16;

export class ChainFetch {
  readonly #options: FetchOptions;
  readonly fetched: Fetched = {
    headers: 0,
    cutBodies: 0,
    certificates: 0,
    blocks: 0,
    certificatesMissing: 0,
  };

  constructor(options: FetchOptions) {
    this.#options = options;
  }

  /** Throws `StoreUnavailableError` if something is lost that the source does not have. */
  async complete(): Promise<Fetched> {
    const { losses } = this.#options;
    const hasLost = (...tables: Parameters<Losses['has']>[0][]) =>
      tables.some((table) => losses.has(table));
    if (hasLost('headers', 'cutIds')) await this.#completeHeaders();
    if (hasLost('cutBodies')) await this.#completeBodies();
    if (hasLost('certificates')) await this.#completeCertificates();
    if (hasLost('blockHeaders', 'blockBodies')) await this.#completeBlocks();
    return this.fetched;
  }

  /** From the head back: each header names the id of the one before it. */
  async #completeHeaders(): Promise<void> {
    const { head, retention } = this.#options;
    let expected = head.cutId;
    for (let { height } = head; height >= Math.max(1, retention.firstHeight); height--) {
      let header = this.#headerAt(height);
      if (header === undefined || toHex(cutId(header)) !== expected) {
        header = await (await this.#source()).header(height);
        if (header === undefined || toHex(cutId(header)) !== expected)
          throw unavailable(`the header of cut ${height}`);
        this.fetched.headers++;
      }
      await this.#write((batch) => {
        const value = new Packer().hex(expected).raw(header).finish();
        batch.putChecked(heightKey('headers', height), value);
        batch.put(hexKey('cutIds', expected), new Packer().number(height).finish());
      });
      expected = toHex(decodeCutHeader(header).parentCutId);
    }
  }

  async #completeBodies(): Promise<void> {
    for (const height of this.#heights(this.#options.bodiesFrom)) {
      if (this.#has('cutBodies', height)) continue;
      const header = this.#expectHeader(height);
      const body = await (await this.#source()).cutBody(height, header);
      if (body === undefined || !isBodyOf(header, body))
        throw unavailable(`the body of cut ${height}`);
      await this.#write((batch) => batch.putChecked(heightKey('cutBodies', height), body));
      this.fetched.cutBodies++;
    }
  }

  async #completeCertificates(): Promise<void> {
    const { head, retention, rules } = this.#options;
    for (const height of this.#heights(retention.firstHeight)) {
      const isKept = height > head.height - CERTIFICATE_CUTS || isCheckpoint(height, rules);
      if (!isKept || this.#has('certificates', height)) continue;
      const certificate = await this.#provenCertificate(height);
      if (certificate === undefined) {
        this.fetched.certificatesMissing++;
        continue;
      }
      await this.#write((batch) =>
        batch.putChecked(heightKey('certificates', height), certificate),
      );
      this.fetched.certificates++;
    }
  }

  async #provenCertificate(height: number): Promise<Uint8Array | undefined> {
    const header = this.#expectHeader(height);
    const source = await this.#source();
    const certificate = await source.certificate(height);
    if (certificate === undefined) return undefined;
    const set = await source.validatorSet(toHex(decodeCutHeader(header).validatorSetId));
    if (set === undefined) return undefined;
    try {
      checkCut(header, certificate, set, this.#options.chainId);
      return certificate;
    } catch (error) {
      if (error instanceof SvcError) return undefined;
      throw error;
    }
  }

  async #completeBlocks(): Promise<void> {
    const missing: string[] = [];
    for (const height of this.#heights(this.#options.retention.blocksFrom)) {
      const body = readChecked(this.#options.store, 'cutBodies', heightKey('cutBodies', height));
      if (body === undefined) continue;
      for (const id of decodeCutBody(body).blockIds.map((bytes) => toHex(bytes)))
        if (!this.#hasBlock(id)) missing.push(id);
      if (missing.length >= BLOCKS_PER_REQUEST)
        await this.#fetchBlocks(missing.splice(0, BLOCKS_PER_REQUEST));
    }
    while (missing.length > 0) await this.#fetchBlocks(missing.splice(0, BLOCKS_PER_REQUEST));
  }

  async #fetchBlocks(ids: readonly string[]): Promise<void> {
    const blocks = await (await this.#source()).blocks(ids);
    const proven = blocks.filter((block) => isBlock(block, this.#options.chainId));
    const absent = ids.find((id) => !proven.some((block) => block.id === id));
    if (absent !== undefined) throw unavailable(`block ${absent}`);
    await this.#write((batch) => writeBlocks(batch, proven));
    this.fetched.blocks += proven.length;
  }

  /** Whether the record is there, or was never lost. */
  #has(table: 'cutBodies' | 'certificates', height: number): boolean {
    const key = heightKey(table, height);
    return !this.#options.losses.covers(key) || this.#options.store.getSync(key) !== undefined;
  }

  #hasBlock(id: string): boolean {
    const { losses, store } = this.#options;
    return (['blockHeaders', 'blockBodies'] as const).every((table) => {
      const key = hexKey(table, id);
      return !losses.covers(key) || store.getSync(key) !== undefined;
    });
  }

  *#heights(first: number): Generator<number> {
    const { head } = this.#options;
    for (let height = Math.max(1, first); height <= head.height; height++) yield height;
  }

  #headerAt(height: number): Uint8Array | undefined {
    const record = readChecked(this.#options.store, 'headers', heightKey('headers', height));
    return record?.subarray(ID_BYTES);
  }

  #expectHeader(height: number): Uint8Array {
    const header = this.#headerAt(height);
    if (header === undefined) throw unavailable(`the header of cut ${height}`);
    return header;
  }

  #source(): Promise<ChainSource> {
    return this.#options.source();
  }

  async #write(fill: (batch: BatchBuilder) => void): Promise<void> {
    const batch = new BatchBuilder();
    fill(batch);
    await this.#options.store.write(batch.operations, { sync: false });
  }
}

function isBodyOf(header: Uint8Array, body: Uint8Array): boolean {
  const fields = decodeCutHeader(header);
  const { blockIds, evidence } = decodeCutBody(body);
  return (
    equalBytes(registeredRoot(blockIds), fields.registeredRoot) &&
    equalBytes(evidenceRoot(evidence), fields.evidenceRoot)
  );
}

function isBlock({ id, header, body }: BlockBytes, chainId: Uint8Array): boolean {
  if (toHex(hashLabel(LABELS.block, header)) !== id) return false;
  const { bodyRoot } = decodeBlockHeader(header, chainId);
  return equalBytes(bodyRoot, hashLabel(LABELS.body, body));
}

function unavailable(what: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `${what} is lost, and no peer gave it; name an archive with --bootstrap and run the command again, or sync anew`,
  );
}
