/**
 * The keys and seats of a rotation: which key a node begins with, and the seat of the next key, which is taken as soon as
 * its file is there and the chain names it.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from 'svc-base/node';
import type { Clock, Log } from 'svc-base/pure';
import {
  isReplaced,
  nextRecord,
  type SeatKey,
  type SignStateChoice,
  ValidatorHistoryError,
  type ValidatorKey,
} from 'svc-consensus/shell';
import { isCurrent, type Relay } from 'svc-serve/ports';
import type { KeyFilesConfig } from '../config/node-config.ts';
import { readNextKeyFile } from '../validator/key-files.ts';
import { isRetired, recordFolderOf, recordOf } from '../validator/validator-disk.ts';
import { AwaitedRegistration } from './await-registration.ts';
import type { OwnKeys, OwnValidatorOptions } from './own-validator.ts';
import { mayBeBehind, type Seat } from './seats.ts';

interface NextKeyPorts {
  readonly files: readonly string[];
  readonly open: () => ValidatorKey;
  /** Whether a key is in use already. */
  readonly isKnown: (key: ValidatorKey) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_MILLIS = 2_000;

/**
 * Waits for the file of the consensus key that follows the one in use. It may come at any time: a rotation needs no
 * restart. An unusable file is reported once and read again when it has changed.
 */
export class AwaitedKey {
  /** Never settles once closed. */
  readonly found: Promise<ValidatorKey>;
  readonly #ports: NextKeyPorts;
  readonly #resolve: (key: ValidatorKey) => void;
  #seen = '';
  #cancel: () => void = () => {};

  constructor(ports: NextKeyPorts) {
    this.#ports = ports;
    const { promise, resolve } = Promise.withResolvers<ValidatorKey>();
    this.found = promise;
    this.#resolve = resolve;
    this.#look();
  }

  close(): void {
    this.#cancel();
  }

  #look(): void {
    const { files, clock } = this.#ports;
    const shape = shapeOf(files);
    const isNew = shape !== undefined && shape !== this.#seen;
    this.#seen = shape ?? '';
    const key = isNew ? this.#open() : undefined;
    if (key !== undefined) this.#resolve(key);
    else this.#cancel = clock.after(LOOK_MILLIS, () => this.#look());
  }

  #open(): ValidatorKey | undefined {
    const { open, isKnown, log } = this.#ports;
    try {
      const key = open();
      return isKnown(key) ? undefined : key;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      log.warn({ error: error.message }, 'the next consensus key cannot be read');
      return undefined;
    }
  }
}

/** What tells whether files have changed; undefined unless all are there. */
function shapeOf(files: readonly string[]): string | undefined {
  const found = files.map((file) => statSync(file, { throwIfNoEntry: false }));
  if (found.some((one) => one === undefined)) return undefined;
  return found.map((one) => `${one?.ino} ${one?.size} ${one?.mtimeMs} ${one?.mode}`).join(', ');
}

/** The keys to start with: if the chain has replaced the configured one, the next one is in force. */
export function keysInForce({ config, keys, core, log }: OwnValidatorOptions): OwnKeys {
  const { key } = keys;
  const records = join(config.dataDir, 'validator');
  if (!isReplaced(core.chain.view, key) && !isRetired(records, key)) return keys;
  const { next } = config.validator as KeyFilesConfig;
  if (!existsSync(next.consensusKeyFile))
    throw new ValidatorHistoryError(
      `no validator holds the consensus key any more: it was replaced by a rotation, or its validator exited and everything was withdrawn; name the new key in validator.consensus_key_file (there is no ${next.consensusKeyFile} either)`,
    );
  log.info({}, 'the consensus key was replaced by a rotation: the next key is in force');
  return { ...keys, key: readNextKeyFile(next, config.network) };
}

/** Seats for keys that follow that of the first seat, each as soon as its file is there and the chain names it. */
export async function* nextSeats(
  wish: OwnValidatorOptions,
  first: Seat,
  relay: Relay,
  closing: AsyncDisposableStack,
): AsyncGenerator<Seat> {
  const { config, core, clock } = wish;
  const { next } = config.validator as KeyFilesConfig;
  const log = wish.log.part('validator');
  const known = [first.key];
  let before = first.key;
  for (;;) {
    const awaited = new AwaitedKey({
      files: [next.consensusKeyFile, next.passwordFile],
      open: () => readNextKeyFile(next, config.network),
      isKnown: (key) => known.some(({ keyHash }) => keyHash === key.keyHash),
      clock,
      log,
    });
    closing.defer(() => awaited.close());
    const key = await awaited.found;
    known.push(key);
    log.info({ key_hash: key.keyHash }, 'the next consensus key is loaded');
    const { chain } = core;
    const waiting = new AwaitedRegistration({
      chain,
      isCurrent: () => !mayBeBehind(chain, relay) || isCurrent(chain, relay),
      key,
      clock,
      log,
    });
    closing.defer(() => waiting.close());
    const signState = signStateOfNext(wish, { before, key }, await waiting.registered);
    before = key;
    if (signState !== 'none') yield nextSeat(wish, first, key, signState);
    else
      log.error(
        { key_hash: key.keyHash },
        'the next consensus key is not used here: the key before it is in use elsewhere',
      );
  }
}

/** How the record of the next key begins, by what the chain has shown of it and by the record of the key before. */
export function signStateOfNext(
  { config, core, newSignState }: Pick<OwnValidatorOptions, 'config' | 'core' | 'newSignState'>,
  { before, key }: { readonly before: SeatKey; readonly key: SeatKey },
  proof: SignStateChoice,
): SignStateChoice | 'none' {
  const records = join(config.dataDir, 'validator');
  const hasRecord = existsSync(join(records, recordFolderOf(records, key), 'sign-state'));
  const next = nextRecord(proof, recordOf(records, before), core.chain.head.height);
  if (next === 'none') return next;
  if (hasRecord) return proof;
  return next === 'existing' && newSignState ? 'new' : next;
}

function nextSeat(
  { config }: OwnValidatorOptions,
  { overlay, shareOverlay = () => overlay, onStarted }: Seat,
  key: SeatKey,
  signState: SignStateChoice,
): Seat {
  return {
    name: recordFolderOf(join(config.dataDir, 'validator'), key),
    key,
    overlay: shareOverlay(),
    signState,
    heartbeat: null,
    isNext: true,
    ...(onStarted === undefined ? {} : { onStarted }),
  };
}
