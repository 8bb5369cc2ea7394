/**
 * Waits for the file of the consensus key that follows the one in use. It may come at any time: a rotation needs no
 * restart. A file that cannot be used is told once and looked at again when it has changed.
 */
import { statSync } from 'node:fs';
import { ConfigError } from 'svc-base/node';
import type { Clock, Log } from 'svc-base/pure';
import type { ValidatorKey } from 'svc-consensus/shell';

export interface NextKeyPorts {
  readonly files: readonly string[];
  readonly open: () => ValidatorKey;
  /** Whether a key is in use already. */
  readonly isKnown: (key: ValidatorKey) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_MILLIS = 2_000;

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
