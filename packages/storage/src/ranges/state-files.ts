/**
 * The state of one cut in a folder: the manifest, and all ranges one after another in one file. A node that serves it and
 * one that fetches it have the same files. The manifest's file ends in a checksum. A range is there if its bytes have the hash that the manifest names: nothing
 * else has to be recorded or synced while ranges come.
 */
import { mkdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readBounded, replaceFile } from 'svc-base/node';
import { decodeSubtree } from 'svc-wasm/protocol';
import { StateRefusedError } from '../errors.ts';
import { expectRange, hasContent } from './check-manifest.ts';
import {
  contentHash,
  decodeManifest,
  MANIFEST_BYTES_MAX,
  manifestId,
  type RangeContent,
  type StateManifest,
} from './state-manifest.ts';

const MANIFEST = 'manifest';
const RANGES = 'ranges';
const SUM_BYTES = 4;

export class StateFiles {
  readonly manifest: StateManifest;
  readonly manifestBytes: Uint8Array;
  /** The manifest's name among peers. */
  readonly id: string;
  readonly #file: FileHandle;
  readonly #starts: Float64Array;

  /** Opens what a folder has; undefined if it has no manifest or no ranges. */
  static async open(directory: string): Promise<StateFiles | undefined> {
    const stored = await readBounded(join(directory, MANIFEST), MANIFEST_BYTES_MAX + SUM_BYTES);
    if (stored === undefined) return undefined;
    const bytes = stored.subarray(0, -SUM_BYTES);
    if (!withSum(bytes).equals(stored))
      throw new StateRefusedError(`${join(directory, MANIFEST)} is not what was written`);
    const manifest = decodeManifest(bytes);
    const file = await open(join(directory, RANGES), 'r+').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    return file === undefined ? undefined : new StateFiles(bytes, manifest, file);
  }

  /** Begins a folder for ranges that will come. The manifest is checked by the caller. */
  static async create(directory: string, manifestBytes: Uint8Array): Promise<StateFiles> {
    const manifest = decodeManifest(manifestBytes);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const file = await open(join(directory, RANGES), 'w+', 0o600);
    try {
      await replaceFile(join(directory, MANIFEST), withSum(manifestBytes));
    } catch (error) {
      await file.close();
      throw error;
    }
    return new StateFiles(manifestBytes, manifest, file);
  }

  /** Must not throw: the file would stay open, and one that is collected open ends the process. */
  private constructor(manifestBytes: Uint8Array, manifest: StateManifest, file: FileHandle) {
    this.manifestBytes = manifestBytes;
    this.manifest = manifest;
    this.id = manifestId(manifestBytes);
    this.#file = file;
    const { ranges } = manifest;
    this.#starts = new Float64Array(ranges.length + 1);
    ranges.forEach(({ length }, index) => {
      this.#starts[index + 1] = (this.#starts[index] as number) + length;
    });
  }

  /** The bytes of all ranges. */
  get bytes(): number {
    return this.#starts.at(-1) ?? 0;
  }

  /** The number of outputs in the state. */
  get outputs(): number {
    const { subtrees } = this.manifest.trees.outputs;
    return subtrees.reduce((sum, subtree) => sum + Number(decodeSubtree(subtree).count), 0);
  }

  /** A range as it is in the file; undefined if it is not there or not what the manifest names. */
  async range(index: number): Promise<Uint8Array | undefined> {
    const content = this.manifest.ranges[index];
    if (content === undefined) return undefined;
    const bytes = Buffer.alloc(content.length);
    const start = this.#starts[index] as number;
    const { bytesRead } = await this.#file.read(bytes, 0, content.length, start);
    return bytesRead === content.length && hasContent(content, bytes) ? bytes : undefined;
  }

  /** Keeps a range; throws a `StateRefusedError` if it is not the manifest's. */
  async put(index: number, bytes: Uint8Array): Promise<void> {
    expectRange(this.manifest, index, bytes);
    const { length } = bytes;
    const { bytesWritten } = await this.#file.write(bytes, 0, length, this.#starts[index]);
    if (bytesWritten !== length)
      throw new Error(`the disk took ${bytesWritten} of ${length} bytes`);
  }

  /** The ranges that are not there. */
  async missing(): Promise<number[]> {
    const missing: number[] = [];
    for (let index = 0; index < this.manifest.ranges.length; index++)
      if ((await this.range(index)) === undefined) missing.push(index);
    return missing;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** Writes ranges one after another, then the manifest that names them. */
export class StateFilesWriter {
  readonly ranges: RangeContent[] = [];
  readonly #directory: string;
  readonly #file: FileHandle;

  static async create(directory: string): Promise<StateFilesWriter> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return new StateFilesWriter(directory, await open(join(directory, RANGES), 'w', 0o600));
  }

  private constructor(directory: string, file: FileHandle) {
    this.#directory = directory;
    this.#file = file;
  }

  async add(bytes: Uint8Array): Promise<void> {
    await this.#file.writeFile(bytes);
    this.ranges.push({ length: bytes.length, hash: contentHash(bytes) });
  }

  async finish(manifest: Uint8Array): Promise<void> {
    await this.#file.sync();
    await replaceFile(join(this.#directory, MANIFEST), withSum(manifest));
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

function withSum(manifest: Uint8Array): Buffer {
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32BE(crc32(manifest));
  return Buffer.concat([manifest, sum]);
}
