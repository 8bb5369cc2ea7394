/**
 * The validator sets of the running epoch and of those before it from which evidence is still accepted. The
 * state knows only the running one, so each is kept in a file of its own, named by its epoch.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from 'svc-base/node';
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

/** Evidence may be as old as this, counted from any cut of the running epoch. */
const EPOCHS_KEPT = UNBONDING_EPOCHS + 1;
const SUFFIX = '.set';

export class ValidatorSets {
  readonly #directory: string;
  readonly #interval: number;
  readonly #sets = new Map<number, ValidatorSet>();

  static async load(
    directory: string,
    { interval }: LedgerParameters,
    reader: ChainReader,
    running: EpochRecord,
  ): Promise<ValidatorSets> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const sets = new ValidatorSets(directory, interval);
    for (let epoch = running.epoch - EPOCHS_KEPT; epoch < running.epoch; epoch++) {
      const set = sets.#read(epoch);
      if (set === undefined) continue;
      await expectNamed(reader, epochStart(epoch, interval), set, sets.#path(epoch));
      sets.#sets.set(epoch, set);
    }
    sets.learn(running);
    return sets;
  }

  private constructor(directory: string, interval: number) {
    this.#directory = directory;
    this.#interval = interval;
  }

  /** The set that signs at a height, as far as it is known. */
  at(height: number): ValidatorSet | undefined {
    return this.#sets.get(epochOf(height, this.#interval));
  }

  ofEpoch(epoch: number): ValidatorSet | undefined {
    return this.#sets.get(epoch);
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
    replaceFileSync(this.#path(epoch), encoded);
    const oldest = epoch - EPOCHS_KEPT;
    for (const known of this.#sets.keys()) if (known < oldest) this.#sets.delete(known);
    for (const name of readdirSync(this.#directory))
      if (Number.parseInt(name, 10) < oldest) rmSync(join(this.#directory, name), { force: true });
  }

  #path(epoch: number): string {
    return join(this.#directory, `${epoch}${SUFFIX}`);
  }

  #read(epoch: number): ValidatorSet | undefined {
    const path = this.#path(epoch);
    try {
      return decodeValidatorSet(readFileSync(path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      if (error instanceof SvcError) throw damaged(path);
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
    `${path} is not the validator set that the chain names; restore a backup or sync anew`,
  );
}
