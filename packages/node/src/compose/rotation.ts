/**
 * The rotation of a node's consensus key. The next key runs beside the one in use as soon as the chain names it; the
 * set of validators decides at every height which of the two signs, and the old one is retired once it has been left out.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from 'svc-base/pure';
import {
  indexIn,
  isReplaced,
  type SignStateChoice,
  ValidatorHistoryError,
  type ValidatorKey,
} from 'svc-validator';
import type { ChainCore } from '../chain/chain-core.ts';
import type { ValidatorConfig } from '../config/node-config.ts';
import { isCurrent, type Relay } from '../ports/relay.ts';
import type { ReportedValidator } from '../report/validator-report.ts';
import { readNextKeyFile } from '../validator/key-files.ts';
import { isRetired, recordFolderOf } from '../validator/record-folder.ts';
import { AwaitedRegistration } from './await-registration.ts';
import { AwaitedKey } from './next-key.ts';
import type { OwnKeys, OwnValidatorOptions } from './own-validator.ts';
import { mayBeBehind, type RunningSeat, type Seat } from './seats.ts';

/** The keys to start with: if the chain has replaced the configured one, the next one is in force. */
export function keysInForce({ config, keys, core, log }: OwnValidatorOptions): OwnKeys {
  const { key } = keys;
  const records = join(config.dataDir, 'validator');
  if (!isReplaced(core.chain.view, key) && !isRetired(records, key)) return keys;
  const { next } = config.validator as ValidatorConfig;
  if (!existsSync(next.consensusKeyFile))
    throw new ValidatorHistoryError(
      `no validator holds the consensus key any more: it was replaced by a rotation or its validator is gone; name the new key in validator.consensus_key_file (there is no ${next.consensusKeyFile} either)`,
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
  const { next } = config.validator as ValidatorConfig;
  const log = wish.log.part('validator');
  const known = [first.key];
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
    yield nextSeat(wish, first, key, await waiting.registered);
  }
}

function nextSeat(
  { config, newSignState }: OwnValidatorOptions,
  { overlay, shareOverlay = () => overlay, onStarted }: Seat,
  key: ValidatorKey,
  proof: SignStateChoice,
): Seat {
  const records = join(config.dataDir, 'validator');
  const name = recordFolderOf(records, key);
  const hasRecord = existsSync(join(records, name, 'sign-state'));
  return {
    name,
    key,
    overlay: shareOverlay(),
    signState: proof === 'existing' && newSignState && !hasRecord ? 'new' : proof,
    heartbeat: null,
    isNext: true,
    ...(onStarted === undefined ? {} : { onStarted }),
  };
}

/** The seats of one validator, of which the set in progress names at most one. */
export class RotatingSeats implements ReportedValidator {
  readonly #chain: ChainCore;
  readonly #first: RunningSeat;
  readonly #log: Log;
  #seats: readonly RunningSeat[];

  constructor(chain: ChainCore, first: RunningSeat, log: Log) {
    this.#chain = chain;
    this.#first = first;
    this.#log = log;
    this.#seats = [first];
  }

  /** Ends with the node; the old seats are retired when a cut was decided without them. */
  add(next: RunningSeat): () => void {
    this.#seats = [...this.#seats, next];
    this.#first.heartbeatKeys.push(next.key);
    return this.#chain.finalized.on(({ height }) => this.#retireOld(height, next));
  }

  get key(): ValidatorKey {
    return this.#active.key;
  }

  get driver(): RunningSeat['driver'] {
    return this.#active.driver;
  }

  get heartbeats(): RunningSeat['heartbeats'] {
    return this.#first.heartbeats;
  }

  /** The seat whose key signs now; without one in the committee, the oldest that the chain has not replaced. */
  get #active(): RunningSeat {
    const { next, view } = this.#chain;
    return (
      this.#seats.find(({ key }) => indexIn(next.validators, key) !== undefined) ??
      this.#seats.find(({ key }) => !isReplaced(view, key)) ??
      this.#first
    );
  }

  #retireOld(height: number, next: RunningSeat): void {
    const { view } = this.#chain;
    const set = this.#chain.setAt(height);
    for (const seat of this.#seats) {
      if (seat === next || indexIn(set, seat.key) !== undefined || !isReplaced(view, seat.key))
        continue;
      seat.driver.retire();
      this.#seats = this.#seats.filter((one) => one !== seat);
      this.#log.info(
        { height, key_hash: seat.key.keyHash, next_key_hash: next.key.keyHash },
        'the consensus key was replaced: the new one signs, the old one never again',
      );
    }
  }
}
