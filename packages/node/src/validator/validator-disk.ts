/**
 * Where a validator keeps its record of what it signed and the files of the height in progress: a directory in a node,
 * memory in a development network.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LogFile } from 'svc-base/node';
import type { KeyLock, SignStateStorage } from 'svc-consensus/machine';
import type { HeartbeatStore, LogFile as ValidatorLog } from 'svc-consensus/shell';
import { FileSignState } from 'svc-consensus/signer';
import { HeartbeatFile } from './heartbeat-file.ts';

export interface ValidatorDisk {
  /** Names the place to an operator. */
  readonly place: string;
  readonly signState: SignStateStorage;
  readonly heartbeats: HeartbeatStore;
  /** In place of the lock that one process of a machine has for a key; refused on every network but the development network. */
  readonly lock?: KeyLock;
  /** Makes the place ready; only the sign state may be read before. */
  open(): void;
  openLog(name: string): ValidatorLog;
}

export class ValidatorDirectory implements ValidatorDisk {
  readonly place: string;
  readonly heartbeats: HeartbeatStore;
  readonly signState: SignStateStorage;

  /** `<data>/validator/<name>`. */
  constructor(directory: string) {
    this.place = directory;
    this.heartbeats = new HeartbeatFile(directory);
    this.signState = new FileSignState(directory);
  }

  open(): void {
    mkdirSync(this.place, { recursive: true, mode: 0o700 });
  }

  openLog(name: string): ValidatorLog {
    return new LogFile(join(this.place, name), { kind: `validator ${name}` });
  }
}
