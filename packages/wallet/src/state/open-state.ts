/**
 * Opens the state beside a wallet file: makes it when it is not there, and refuses one that another process holds, that
 * belongs to another wallet or that has another version.
 */
import { existsSync } from 'node:fs';
import { FileRefusal } from '../errors.ts';
import { checkSecret, createSecret } from '../file/secret-file.ts';
import { Addresses } from './addresses.ts';
import { AuditOutbox } from './audit-outbox.ts';
import { Cuts, Flows } from './cuts.ts';
import { Database, Meta, type Row } from './database.ts';
import { Events } from './events.ts';
import { Journal } from './journal.ts';
import { KeptInputs } from './kept-inputs.ts';
import { Outputs } from './outputs.ts';
import { SCHEMA, STATE_VERSION } from './schema.ts';
import { isDamaged, isForeignSchema, isLocked } from './sqlite-errors.ts';
import {
  checkSum,
  describeHolder,
  forgetHolder,
  forgetSum,
  type Holder,
  hasLog,
  StateBackup,
  writeHolder,
  writeSum,
} from './state-files.ts';
import { Spendings, StoppedRequests } from './stopped-requests.ts';

export interface WalletIdentity {
  readonly fingerprint: string;
  readonly network: string;
}

export interface State {
  readonly path: string;
  readonly database: Database;
  readonly meta: Meta;
  readonly addresses: Addresses;
  readonly outputs: Outputs;
  readonly flows: Flows;
  readonly journal: Journal;
  readonly inputs: KeptInputs;
  readonly stopped: StoppedRequests;
  readonly cuts: Cuts;
  readonly events: Events;
  readonly spendings: Spendings;
  readonly auditOutbox: AuditOutbox;
  readonly backup: StateBackup;
  /** Replaces the holder file, once the process knows more about itself. */
  setHolder(holder: Holder): void;
  close(): void;
}

export function statePath(walletPath: string): string {
  return `${walletPath}.state`;
}

export function holderPath(walletPath: string): string {
  return `${statePath(walletPath)}.holder`;
}

/** Whether a process has the state open now. */
export function isStateHeld(walletPath: string): boolean {
  const path = statePath(walletPath);
  if (!existsSync(path)) return false;
  try {
    new Database(path, { beforeMove: () => forgetSum(path) }).close();
    return false;
  } catch (error) {
    return isLocked(error);
  }
}

export function openState(walletPath: string, identity: WalletIdentity, purpose: string): State {
  const path = statePath(walletPath);
  if (existsSync(path)) checkSecret(path);
  else createSecret(path, new Uint8Array(0));
  const verdict = checkSum(path);
  const isLookedThrough = verdict === 'unknown' || hasLog(path);
  if (verdict === 'damaged') throw damaged(path, new Error('the checksum beside it is another'));
  const database = openHeld(path, holderPath(walletPath));
  try {
    if (isLookedThrough) checkContents(path, database);
    makeTables(path, database);
    const meta = new Meta(database);
    claim(path, meta, identity);
    writeHolder(holderPath(walletPath), { pid: process.pid, purpose });
    return {
      path,
      database,
      meta,
      addresses: new Addresses(database),
      outputs: new Outputs(database),
      flows: new Flows(database),
      journal: new Journal(database),
      inputs: new KeptInputs(database),
      stopped: new StoppedRequests(database),
      cuts: new Cuts(database),
      events: new Events(database),
      spendings: new Spendings(database),
      auditOutbox: new AuditOutbox(database),
      backup: new StateBackup(path, database),
      setHolder: (holder) => writeHolder(holderPath(walletPath), holder),
      close: () => {
        if (!database.isOpen) return;
        forgetHolder(holderPath(walletPath));
        database.close();
        writeSum(path);
      },
    };
  } catch (error) {
    database.close();
    throw isDamaged(error) || isForeignSchema(error) ? damaged(path, error) : error;
  }
}

function openHeld(path: string, notePath: string): Database {
  try {
    return new Database(path, { beforeMove: () => forgetSum(path) });
  } catch (cause) {
    if (isLocked(cause)) {
      const holder = describeHolder(notePath);
      const hint = 'stop it, or call it through its daemon';
      throw new FileRefusal('held', path, `${holder} holds this wallet`, hint, cause);
    }
    if (isDamaged(cause)) throw damaged(path, cause);
    throw cause;
  }
}

/** Has SQLite look through a state without a valid checksum. */
function checkContents(path: string, database: Database): void {
  let found: unknown;
  try {
    found = (database.prepare('PRAGMA integrity_check(1)').get() as Row)['integrity_check'];
  } catch (cause) {
    if (isDamaged(cause)) throw damaged(path, cause);
    throw cause;
  }
  if (found !== 'ok') throw damaged(path, new Error(String(found)));
}

/** Makes the tables of a new state. A state of another version is refused. */
function makeTables(path: string, database: Database): void {
  const version = readVersion(path, database);
  if (version === STATE_VERSION) return;
  if (version !== 0) {
    const found = `has version ${version} of the state, and this release reads version ${STATE_VERSION} alone`;
    throw new FileRefusal(
      'newer_version',
      path,
      found,
      'use the release of svc-wallet that wrote it',
    );
  }
  database.transaction(() => {
    database.execute(SCHEMA);
    database.execute(`PRAGMA user_version = ${STATE_VERSION}`);
  });
}

function readVersion(path: string, database: Database): number {
  try {
    return Number((database.prepare('PRAGMA user_version').get() as Row)['user_version']);
  } catch (cause) {
    if (isDamaged(cause)) throw damaged(path, cause);
    throw cause;
  }
}

function damaged(path: string, cause: unknown): FileRefusal {
  const hint = 'restore it from a backup, or move it away: the wallet then reads its history again';
  return new FileRefusal('damaged', path, 'is damaged', hint, cause);
}

function claim(path: string, meta: Meta, { fingerprint, network }: WalletIdentity): void {
  const found = meta.get('fingerprint');
  if (found === undefined) {
    meta.set('fingerprint', fingerprint);
    meta.set('network', network);
    return;
  }
  if (found === fingerprint && meta.get('network') === network) return;
  const fault = `belongs to wallet ${found} on ${meta.get('network')}, not to ${fingerprint} on ${network}`;
  throw new FileRefusal('wrong_wallet', path, fault, 'move it away');
}
