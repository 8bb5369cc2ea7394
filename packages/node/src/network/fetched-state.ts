/**
 * A state on its way from peers, in a folder: the certified cut, the manifest and the ranges that have come. The cut is
 * believed if it follows from what is trusted, as a light client follows: step by step, or by more than a third of the
 * trusted stake. A folder with a cut, a manifest and ranges was begun, and continues after a kill if what is trusted is the
 * same: the cut was believed by that, and is not proven again.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readBounded, replaceFile } from 'svc-base/node';
import type { Clock } from 'svc-base/pure';
import type { CertifiedHeader, Checkpoint, StateKeeper, StateOffer } from 'svc-network';
import { StateRefusedError } from 'svc-storage';
import { type CertifiedCut, decodeManifest, expectManifest, StateFiles } from 'svc-storage/ranges';
import { advanceValidatorSet } from 'svc-wasm';
import { isRefusal, toHex } from 'svc-wasm/base';
import {
  type ChainRecovery,
  CUT_HEADER_BYTES,
  cutId,
  decodeCutHeader,
  type TrustedSet,
  trustedSetJson,
  trustOfRecovery,
  type ValidatorSet,
} from 'svc-wasm/protocol';

const CUT = 'cut';
const CUT_BYTES_MAX = 1 << 20;
/** Holds the height and the id of what was trusted when the folder was begun. */
const TRUST = 'trust';
const TRUST_BYTES_MAX = 256;

/** What is trusted, but for its set. */
export type Trust = Omit<TrustedSet, 'set'>;

export interface FetchedStateOptions {
  readonly directory: string;
  /** The genesis. */
  readonly trust: Trust;
  /** What is trusted instead, if an operator says so. */
  readonly checkpoint: Checkpoint | undefined;
  /** A state after one of these follows from it: it names its cut and the set that signs next. */
  readonly recoveries: readonly ChainRecovery[];
  readonly clock: Pick<Clock, 'now'>;
}

interface Begun {
  readonly cut: CertifiedCut;
  readonly files: StateFiles;
}

export class FetchedState implements StateKeeper {
  readonly checkpoint: Checkpoint | undefined;
  readonly #options: FetchedStateOptions;
  #trust: Trust;
  #begun: Begun | undefined;

  /** Goes on with what the folder has, or begins anew if that is not whole. */
  static async open(options: FetchedStateOptions): Promise<FetchedState> {
    const state = new FetchedState(options);
    state.#begun = await openBegun(options);
    if (state.#begun === undefined) rmSync(options.directory, { recursive: true, force: true });
    return state;
  }

  private constructor(options: FetchedStateOptions) {
    this.#options = options;
    this.#trust = options.trust;
    this.checkpoint = options.checkpoint;
  }

  get begun(): StateOffer | undefined {
    const files = this.#begun?.files;
    return files === undefined
      ? undefined
      : { height: files.manifest.height, manifestId: files.id };
  }

  get ranges(): number {
    return this.#begun?.files.manifest.ranges.length ?? 0;
  }

  /** The state, once all of it is there. */
  get whole(): Begun {
    if (this.#begun === undefined) throw new Error('no state was begun');
    return this.#begun;
  }

  trust(header: Uint8Array, set: ValidatorSet): void {
    const { height, time } = decodeCutHeader(header);
    const { encoded: encodedSet } = set;
    this.#trust = { ...this.#trust, height, time, cutId: cutId(header), encodedSet };
  }

  refusalOfCut({ header, certificate, set }: CertifiedHeader): string | null {
    const { clock, recoveries } = this.#options;
    const now = String(clock.now());
    const recovered = recoveries.map(trustOfRecovery);
    const later = recovered.filter(({ height }) => height >= this.#trust.height);
    const refusals: string[] = [];
    for (const trust of [this.#trust, ...later])
      try {
        advanceValidatorSet(trustedSetJson(trust), header, certificate, set.encoded, now);
        return null;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refusals.push(error.message);
      }
    return `${refusals.at(-1)}; a newer cut can be named with --trust`;
  }

  async begin(
    { header, certificate }: CertifiedHeader,
    manifest: Uint8Array,
  ): Promise<string | null> {
    const { directory } = this.#options;
    const refusal = refusalOf(() => expectManifest(decodeManifest(manifest), header));
    if (refusal !== null) return refusal;
    await this.close();
    rmSync(directory, { recursive: true, force: true });
    const files = await StateFiles.create(directory, manifest);
    try {
      await replaceFile(join(directory, TRUST), Buffer.from(trustedCut(this.#options)));
      await replaceFile(join(directory, CUT), Buffer.concat([header, certificate]));
    } catch (error) {
      await files.close();
      throw error;
    }
    this.#begun = { cut: { header, certificate }, files };
    return null;
  }

  missing(): Promise<number[]> {
    return this.whole.files.missing();
  }

  async put(index: number, bytes: Uint8Array): Promise<string | null> {
    try {
      await this.whole.files.put(index, bytes);
      return null;
    } catch (error) {
      if (error instanceof StateRefusedError) return error.message;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#begun?.files.close();
    this.#begun = undefined;
  }
}

/** Nothing was begun before the cut was written, which is last. */
async function openBegun(options: FetchedStateOptions): Promise<Begun | undefined> {
  const { directory } = options;
  const bytes = await readBounded(join(directory, CUT), CUT_BYTES_MAX);
  const trust = await readBounded(join(directory, TRUST), TRUST_BYTES_MAX);
  if (bytes === undefined || trust === undefined) return undefined;
  if (Buffer.from(trust).toString() !== trustedCut(options)) return undefined;
  const header = bytes.slice(0, CUT_HEADER_BYTES);
  const files = await StateFiles.open(directory).catch((error: unknown) => {
    if (error instanceof StateRefusedError) return undefined;
    throw error;
  });
  if (files === undefined) return undefined;
  try {
    expectManifest(files.manifest, header);
    return { cut: { header, certificate: bytes.slice(CUT_HEADER_BYTES) }, files };
  } catch (error) {
    await files.close();
    if (isRefused(error)) return undefined;
    throw error;
  }
}

/** What all trust comes from: the cut that an operator names, or the genesis. */
function trustedCut({ checkpoint, trust }: FetchedStateOptions): string {
  const { height, cutId: id } = checkpoint ?? { height: trust.height, cutId: toHex(trust.cutId) };
  return `${height}:${id}`;
}

function refusalOf(perform: () => void): string | null {
  try {
    perform();
    return null;
  } catch (error) {
    if (isRefused(error)) return error.message;
    throw error;
  }
}

function isRefused(error: unknown): error is Error {
  return error instanceof StateRefusedError || isRefusal(error);
}
