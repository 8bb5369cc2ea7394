/**
 * Signs in a loop until it is killed. Every life draws other messages than the one before, so that a
 * position signed twice would be seen. A line leaves only after the signer has answered:
 * `open <height> <round> <step>`, then `signed <height> <round> <step> <message>`.
 */
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { SILENT_LOG } from 'svc-base/pure';
import type { Height, MessageKind, Round } from 'svc-consensus/machine';
// The one file instead of the whole package: thirty of these processes start in a test.
import { openSigner } from '../../consensus/src/machine/signer/signer.ts';
import { FileSignState } from '../../consensus/src/signer/file-sign-state.ts';
import { SocketKeyLock } from '../../consensus/src/signer/key-lock.ts';

// A process that is killed keeps nothing of what it has compiled; the next one starts with it.
flushCompileCache();
const [directory = '', keyByte = '0', mode = 'again'] = process.argv.slice(2);
const id = new Uint8Array(48).fill(Number(keyByte));
/** That of the test, which may ask for the lock too. */
const CHAIN = new Uint8Array(48).fill(7);
/** Other runs of a test on this machine may have the same key. */
const proveHeld = (challenge: Uint8Array) =>
  createHash('sha384').update(directory).update(challenge).digest();
const key = { id, proveHeld };
const KINDS: readonly MessageKind[] = ['proposal', 'prevote', 'precommit'];

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

const opened = openSigner(
  {
    storage: new FileSignState(directory),
    lock: await SocketKeyLock.claim({ key, chainId: CHAIN, folder: directory, log: SILENT_LOG }),
    key: { id, sign: (bytes) => crypto.getRandomValues(new Uint8Array(32 + bytes.length)) },
  },
  { chainHeight: 0 as Height, newSignState: mode === 'first', firstUse: mode === 'first' },
);
if (opened.type === 'refused') {
  say(`refused ${opened.reason}`);
  process.exit(0);
}

const { signer } = opened;
const { last } = signer.state;
say(`open ${last?.height ?? 0} ${last?.round ?? 0} ${last?.step ?? 0}`);
if (mode === 'hold') process.stdin.resume();
else signForEver();

function signForEver(): never {
  for (let height = Math.max(1, last?.height ?? 0); ; height++)
    for (let round = 0; round < 2; round++) for (const kind of KINDS) signOne(kind, height, round);
}

function signOne(kind: MessageKind, height: number, round: number): void {
  const message = crypto.getRandomValues(new Uint8Array(8));
  const result = signer.sign(kind, height as Height, round as Round, message);
  if (result.type === 'refused') return;
  say(`signed ${height} ${round} ${KINDS.indexOf(kind)} ${Buffer.from(message).toString('hex')}`);
}
