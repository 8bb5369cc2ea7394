/**
 * The directory of a wallet for the test of flipped bits: one that was closed, with everything that a daemon keeps beside it,
 * and one whose process was killed, so that its log has not been moved into the state and no checksum was written.
 */
import { cpSync, mkdirSync, rmSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { initWallet } from '../../../wallet/src/file/open-wallet-file.ts';
import { passwordPath, readPassword } from '../../../wallet/src/file/secret-file.ts';
import { digestOf, ensureToken, readToken, tokenPath } from '../../../wallet/src/file/token.ts';
import { TokenStore, tokensPath } from '../../../wallet/src/file/token-store.ts';
import { readWalletFile } from '../../../wallet/src/file/wallet-file.ts';
import { AuditFile, auditPath, readAudit } from '../../../wallet/src/state/audit-file.ts';
import { JournalCopy, journalCopyPath } from '../../../wallet/src/state/journal-copy.ts';
import { openState, type State, statePath } from '../../../wallet/src/state/open-state.ts';
import { writeSum } from '../../../wallet/src/state/state-files.ts';
import type { Add, Tell } from './reading.ts';

/** Seconds. */
const WRITTEN_AT = 1_700_000_000;
const WALLET = { fingerprint: '00112233aabbccdd', network: 'development' };
const CHEAP = '{"memory_kib":"7168","passes":"5"}';
const ADDRESSES = 400;
const ISSUED = 6;

/** Everything that the daemon of a wallet keeps, closed in order. */
export async function makeWallet(directory: string): Promise<void> {
  const path = join(directory, 'wallet', 'wallet');
  await initWallet({ path, network: 'development', password: null, nowMillis: 0, cost: CHEAP });
  ensureToken(tokenPath(path));
  const limits = { budget: 'payouts', paymentMax: 50_000n, dayMax: 1_000_000n, allowlist: null };
  const token = { createdAtMillis: 0, digest: digestOf('a token'), limits };
  new TokenStore(tokensPath(path)).create({ ...token, name: 'payouts', scopes: ['spend'] });
  fillWallet(path);
  useWallet(path).close();
  settleTime(path);
}

/** Copies of files keep no parts of a second; the checksum names the time of the last write exactly. */
function settleTime(path: string): void {
  utimesSync(statePath(path), WRITTEN_AT, WRITTEN_AT);
  writeSum(statePath(path));
}

/** The files of a state as they lie when its process is killed: some in the state's own file, the newest in its log. */
export function makeKilledWallet(directory: string): void {
  const path = join(directory, 'living', 'wallet');
  fillWallet(path);
  settleTime(path);
  const state = useWallet(path);
  cpSync(dirname(path), join(directory, 'killed'), { recursive: true, preserveTimestamps: true });
  state.close();
  rmSync(dirname(path), { recursive: true });
}

function fillWallet(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const state = openState(path, WALLET, 'test');
  state.database.transaction(() => {
    for (let at = 0; at < ADDRESSES; at++) state.addresses.add(0, at, `address-${at}`, true);
  });
  state.close();
}

function useWallet(path: string): State {
  const state = openState(path, WALLET, 'test');
  const copy = JournalCopy.open(journalCopyPath(path), state);
  const ports = { path: auditPath(path), state, clock: SYSTEM_CLOCK, log: SILENT_LOG };
  const audit = new AuditFile(ports);
  for (let at = 0; at < ISSUED; at++) {
    state.addresses.issue(0, `customer ${at}`, at);
    copy.sync();
    const transaction = String(at).repeat(96);
    state.auditOutbox.add(JSON.stringify({ event: 'made', transaction, amount: `${at}.5` }));
    audit.sync();
  }
  audit.close();
  copy.close();
  return state;
}

export async function readWallet(directory: string, add: Add, tell: Tell): Promise<void> {
  const path = join(directory, 'wallet', 'wallet');
  try {
    add(JSON.stringify(readWalletFile(path, readPassword(passwordPath(path)))));
  } catch (error) {
    tell((error as Error).message);
  }
  // Nothing remembers the token but who was given it, and is told that it is not the one.
  readToken(tokenPath(path));
  const tokens = new TokenStore(tokensPath(path));
  for (const token of tokens.list(({ message }) => tell(message))) add(inspect(token));
  readState(path, add, tell);
}

export async function readKilledWallet(directory: string, add: Add, tell: Tell): Promise<void> {
  readState(join(directory, 'killed', 'wallet'), add, tell);
}

function readState(path: string, add: Add, tell: Tell): void {
  readAuditFile(path, add, tell);
  const state = openState(path, WALLET, 'test');
  try {
    const copy = JournalCopy.open(journalCopyPath(path), state);
    // A state that is older than its copy is brought up to it before it is used.
    if (copy.isAhead) tell(`the copy ${journalCopyPath(path)} is ahead of the state`);
    else for (let at = 0; at < ADDRESSES; at++) add(inspect(state.addresses.at(0, at)));
    for (const line of copy.lines()) add(JSON.stringify(line));
    for (const line of copy.corrupt) tell(`record ${line} of ${journalCopyPath(path)} is corrupt`);
    copy.close();
  } finally {
    state.close();
  }
}

function readAuditFile(path: string, add: Add, tell: Tell): void {
  const lines: string[] = [];
  const { fault } = readAudit(auditPath(path), ({ sequence, transaction, amount, event }) =>
    lines.push(`${sequence} ${transaction} ${amount} ${event}`),
  );
  if (fault !== null) tell(`line ${fault.line} of ${auditPath(path)}: ${fault.reason}`);
  else for (const line of lines) add(line);
}
