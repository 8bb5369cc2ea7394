/**
 * The validator sets of the running epoch and of those before it from which evidence is still accepted. The
 * state knows only the running one, so each is kept in a file of its own, named by its epoch. A set that a recovery
 * puts in the place of that of an epoch is in the recovery.
 */
import {
  bytesOf,
  type EpochRecord,
  epochEnd,
  epochOf,
  epochStart,
  type LedgerParameters,
  setStart,
  UNBONDING_EPOCHS,
} from 'svc-ledger';
import { type ChainReader, StoreDamagedError, StoreUnavailableError } from 'svc-storage';
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

type SetParameters = Pick<LedgerParameters, 'interval' | 'recoveries'>;

export class ValidatorSets {
  readonly #files: SetFiles;
  readonly #parameters: SetParameters;
  readonly #sets = new Map<number, ValidatorSet>();
  /** Sets of epochs before this node's first cut, by the ids that are their hashes; fetched when evidence names them. */
  readonly #named = new Map<string, ValidatorSet>();

  static async load(
    files: SetFiles,
    parameters: SetParameters,
    reader: ChainReader,
    running: EpochRecord,
  ): Promise<ValidatorSets> {
    const sets = new ValidatorSets(files, parameters);
    for (let epoch = running.epoch - EPOCHS_KEPT; epoch <= running.epoch; epoch++) {
      const isOfState = epoch === running.epoch && !sets.#isRecovered(running);
      const set = isOfState ? setOfCommittee(running) : sets.#read(epoch);
      if (set === undefined) continue;
      sets.#sets.set(epoch, set);
      await sets.#expectNamed(reader, epoch);
      if (isOfState) sets.#keep(epoch, set);
    }
    return sets;
  }

  private constructor(files: SetFiles, parameters: SetParameters) {
    this.#files = files;
    this.#parameters = parameters;
  }

  /** The set that signs at a height, as far as it is known. */
  at(height: number): ValidatorSet | undefined {
    const start = setStart(this.#parameters, height);
    const recovery = this.#parameters.recoveries.find((one) => one.height === start - 1);
    return recovery?.set ?? this.#sets.get(epochOf(height, this.#parameters.interval));
  }

  /** A set that signs or signed, by its id. */
  withId(setId: string): ValidatorSet | undefined {
    const recovered = this.#parameters.recoveries.map(({ set }) => set);
    return [...this.#sets.values(), ...recovered].find(({ id }) => toHex(id) === setId);
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
  learn(record: EpochRecord): void {
    const { epoch } = record;
    if (this.#sets.has(epoch) || this.#isRecovered(record)) return;
    this.#keep(epoch, setOfCommittee(record));
  }

  #keep(epoch: number, set: ValidatorSet): void {
    this.#sets.set(epoch, set);
    this.#files.write(epoch, set.encoded);
    const oldest = epoch - EPOCHS_KEPT;
    for (const known of this.#sets.keys()) if (known < oldest) this.#sets.delete(known);
    this.#files.forgetBefore(oldest);
  }

  /** Whether the record is of a set that a recovery put in the place of that of the epoch. */
  #isRecovered({ epoch, validatorSetId }: EpochRecord): boolean {
    const { interval, recoveries } = this.#parameters;
    const ofEpoch = recoveries.filter(({ height }) => epochOf(height + 1, interval) === epoch);
    return ofEpoch.some(({ set }) => toHex(set.id) === validatorSetId);
  }

  /** Compares the sets of an epoch with what its first and its last header name. */
  async #expectNamed(reader: ChainReader, epoch: number): Promise<void> {
    const { interval } = this.#parameters;
    const first = epochStart(epoch, interval);
    const last = Math.min(epochEnd(epoch, interval), reader.head.height);
    if (last < first) return;
    const [began, ended] = [await namedAt(reader, first), await namedAt(reader, last)];
    const isKnown = (height: number, named: string | undefined): boolean => {
      const set = this.at(height);
      return named === undefined || set === undefined || toHex(set.id) === named;
    };
    if (isKnown(first, began) && isKnown(last, ended)) return;
    if (began === undefined || began === ended) throw damaged(this.#files.nameOf(epoch));
    throw new StoreUnavailableError(
      `other validators signed cut ${last} than cut ${first}, of the same epoch: the chain here continued with a recovery, and the setting \`recovery\` does not name its file`,
    );
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

/** The members of an epoch as the set that signs. */
export function setOfCommittee({ members }: EpochRecord): ValidatorSet {
  const validators = members.map(({ validatorId, publicKey, stake }) => ({
    id: bytesOf(validatorId),
    publicKey,
    stake,
  }));
  return decodeValidatorSet(encodeValidatorSet(validators));
}

async function namedAt(reader: ChainReader, height: number): Promise<string | undefined> {
  const cut = await reader.cut(height);
  return cut && toHex(decodeCutHeader(cut.header).validatorSetId);
}

function damaged(path: string): StoreDamagedError {
  return new StoreDamagedError(
    `${path} is not the validator set that the chain names; run \`svcd repair\`, restore a backup or sync anew`,
  );
}
