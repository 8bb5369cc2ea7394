/**
 * The validator sets of the running epoch and of those before it from which evidence is still accepted. The
 * state knows only the running one, so each is kept in a file of its own, named by its epoch.
 */
import {
  bytesOf,
  type EpochRecord,
  epochOf,
  epochStart,
  type LedgerParameters,
  UNBONDING_EPOCHS,
} from 'svc-ledger';
import { type ChainReader, StoreDamagedError } from 'svc-storage';
import { SvcError, toHex } from 'svc-wasm/base';
import {
  decodeCutHeader,
  decodeValidatorSet,
  encodeValidatorSet,
  type ValidatorSet,
} from 'svc-wasm/protocol';
import type { SetFiles } from './chain-disk.ts';

/** Evidence may be as old as this, counted from any cut of the running epoch. */
const EPOCHS_KEPT = UNBONDING_EPOCHS + 1;
/** The most sets that are kept by their ids alone. */
const NAMED_MAX = 16;

export class ValidatorSets {
  readonly #files: SetFiles;
  readonly #interval: number;
  readonly #sets = new Map<number, ValidatorSet>();
  /** Sets of epochs before this node's first cut, by the ids that are their hashes; fetched when evidence names them. */
  readonly #named = new Map<string, ValidatorSet>();

  static async load(
    files: SetFiles,
    { interval }: LedgerParameters,
    reader: ChainReader,
    running: EpochRecord,
  ): Promise<ValidatorSets> {
    const sets = new ValidatorSets(files, interval);
    for (let epoch = running.epoch - EPOCHS_KEPT; epoch < running.epoch; epoch++) {
      const set = sets.#read(epoch);
      if (set === undefined) continue;
      await expectNamed(reader, epochStart(epoch, interval), set, files.nameOf(epoch));
      sets.#sets.set(epoch, set);
    }
    sets.learn(running);
    return sets;
  }

  private constructor(files: SetFiles, interval: number) {
    this.#files = files;
    this.#interval = interval;
  }

  /** The set that signs at a height, as far as it is known. */
  at(height: number): ValidatorSet | undefined {
    return this.#sets.get(epochOf(height, this.#interval));
  }

  ofEpoch(epoch: number): ValidatorSet | undefined {
    return this.#sets.get(epoch);
  }

  /** A set that was fetched because evidence names it. */
  named(setId: string): ValidatorSet | undefined {
    return this.#named.get(setId);
  }

  /** Keeps a set in memory under its id, which is a hash of it; nothing says when it was active. */
  learnNamed(encoded: Uint8Array): void {
    const set = decodeValidatorSet(encoded);
    const [oldest] = this.#named.keys();
    if (this.#named.size >= NAMED_MAX && oldest !== undefined) this.#named.delete(oldest);
    this.#named.set(toHex(set.id), set);
  }

  /** Keeps the set of an epoch that has begun, and forgets those that are too old. */
  learn({ epoch, members }: EpochRecord): void {
    if (this.#sets.has(epoch)) return;
    const encoded = encodeValidatorSet(
      members.map(({ validatorId, publicKey, stake }) => ({
        id: bytesOf(validatorId),
        publicKey,
        stake,
      })),
    );
    this.#sets.set(epoch, decodeValidatorSet(encoded));
    this.#files.write(epoch, encoded);
    const oldest = epoch - EPOCHS_KEPT;
    for (const known of this.#sets.keys()) if (known < oldest) this.#sets.delete(known);
    this.#files.forgetBefore(oldest);
  }

  #read(epoch: number): ValidatorSet | undefined {
    const encoded = this.#files.read(epoch);
    if (encoded === undefined) return undefined;
    try {
      return decodeValidatorSet(encoded);
    } catch (error) {
      if (error instanceof SvcError) throw damaged(this.#files.nameOf(epoch));
      throw error;
    }
  }
}

async function expectNamed(
  reader: ChainReader,
  height: number,
  set: ValidatorSet,
  path: string,
): Promise<void> {
  const cut = await reader.cut(height);
  if (cut === undefined) return;
  const named = toHex(decodeCutHeader(cut.header).validatorSetId);
  if (named !== toHex(set.id)) throw damaged(path);
}

function damaged(path: string): StoreDamagedError {
  return new StoreDamagedError(
    `${path} is not the validator set that the chain names; run \`svcd repair\`, restore a backup or sync anew`,
  );
}
