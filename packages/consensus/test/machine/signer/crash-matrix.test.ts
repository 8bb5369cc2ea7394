/**
 * The power fails after every step of every write, three runs in a row, in every state that the disk
 * may have afterwards; each run asks for another message at the same position. Only what left the
 * process counts as signed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHex } from 'svc-wasm/base';
import type { OpenFault, RefusalReason, SignStateStorage } from '../../../src/machine/index.ts';
import { encodeSignState, height, openSigner, round } from '../../../src/machine/index.ts';
import { FREE_LOCK } from '../wire/memory-storage.ts';
import { DiskError, type DiskStep, FaultyDisk, PowerLoss, STEPS } from './faulty-disk.ts';

const KEY_ID = new Uint8Array(48).fill(9);
const HEIGHT = height(20);
const KINDS = ['proposal', 'prevote', 'precommit'] as const;
const MESSAGES = ['a', 'b'] as const;

/** Two different signatures over one message differ, as those of the real scheme do. */
let drawn = 0;
const key = {
  id: KEY_ID,
  sign: (bytes: Uint8Array) => {
    drawn += 1;
    return Uint8Array.of(drawn & 255, (drawn >> 8) & 255, ...bytes);
  },
};

const BEFORE = encodeSignState({
  keyId: KEY_ID,
  silentThrough: height(0),
  stopped: false,
  last: {
    height: height(19),
    round: round(0),
    step: 2,
    signedBytes: Uint8Array.of(1),
    signature: Uint8Array.of(2),
  },
});

/** What left so far, by position. */
type Left = ReadonlyMap<string, ReadonlySet<string>>;

interface Tally {
  branches: number;
  violations: number;
  readonly reasons: Set<OpenFault | RefusalReason | 'signed'>;
}

interface Life {
  readonly disk: FaultyDisk;
  readonly left: Left;
  readonly depth: number;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

function live(life: Life, message: string, stepsLeft: number, tally: Tally): void {
  const { disk, depth } = life;
  disk.stepsLeft = stepsLeft;
  let left = life.left;
  try {
    const opened = openSigner(
      { storage: disk, lock: FREE_LOCK, key },
      { chainHeight: height(19), newSignState: false },
    );
    if (opened.type === 'refused') {
      tally.reasons.add(opened.reason);
      return;
    }
    for (const kind of KINDS) {
      const result = opened.signer.sign(kind, HEIGHT, round(0), bytesOf(message));
      tally.reasons.add(result.type === 'signed' ? 'signed' : result.reason);
      if (result.type === 'signed') left = withMessage(left, kind, message, tally);
    }
  } catch (error) {
    if (!(error instanceof PowerLoss)) throw error;
  }
  for (const found of disk.afterPowerLoss()) next({ disk: found, left, depth: depth - 1 }, tally);
}

function withMessage(left: Left, kind: string, message: string, tally: Tally): Left {
  const said = new Set(left.get(kind)).add(message);
  if (said.size > 1) tally.violations += 1;
  return new Map(left).set(kind, said);
}

/** Opening writes once and each of three signatures once: twenty steps at most. */
function next(life: Life, tally: Tally): void {
  if (life.depth === 0) {
    tally.branches += 1;
    return;
  }
  const record = life.disk.read();
  const { ignored } = life.disk;
  for (const message of MESSAGES)
    for (let steps = 0; steps <= 4 * STEPS.length; steps++)
      live({ ...life, disk: new FaultyDisk(record, ignored) }, message, steps, tally);
}

function explore(depth: number, ignored: readonly DiskStep[] = []): Tally {
  const tally: Tally = { branches: 0, violations: 0, reasons: new Set() };
  next({ disk: new FaultyDisk(BEFORE, new Set(ignored)), left: new Map(), depth }, tally);
  return tally;
}

test('power loss after every step, three lives: never two messages for one position', (t) => {
  const tally = explore(3);
  t.diagnostic(`${tally.branches} histories`);
  assert.ok(tally.branches > 20_000);
  assert.equal(tally.violations, 0);
  assert.deepEqual([...tally.reasons].sort(), ['conflicting_message', 'signed', 'step_regression']);
});

for (const step of ['renameTemporary', 'syncDirectory'] as const) {
  test(`control: a disk that ignores ${step} lets two messages out, and this test sees it`, () => {
    assert.ok(explore(2, [step]).violations > 0);
  });
}

test('control: a disk that ignores syncTemporary comes back torn, and that is refused', () => {
  const tally = explore(2, ['syncTemporary']);
  assert.equal(tally.violations, 0);
  assert.ok(tally.reasons.has('sign_state_damaged'));
});

for (const step of STEPS) {
  test(`${step} fails with an error: nothing leaves and nothing more is signed`, () => {
    const disk = new FaultyDisk(BEFORE);
    const opened = openSigner(
      { storage: disk, lock: FREE_LOCK, key },
      { chainHeight: height(19), newSignState: false },
    );
    assert.ok(opened.type === 'open');
    disk.failing.add(step);
    const ask = (message: string) =>
      opened.signer.sign('prevote', HEIGHT, round(0), bytesOf(message));
    assert.throws(() => ask('a'), DiskError);
    disk.failing.clear();
    for (const message of ['a', 'b'])
      assert.deepEqual(ask(message), { type: 'refused', reason: 'storage_failed' });
  });

  test(`${step} fails while the key is being stopped: it is stopped all the same`, () => {
    const disk = new FaultyDisk(BEFORE);
    const opened = openSigner(
      { storage: disk, lock: FREE_LOCK, key },
      { chainHeight: height(19), newSignState: false },
    );
    assert.ok(opened.type === 'open');
    disk.failing.add(step);
    const see = () => opened.signer.ownMessageSeen('prevote', HEIGHT, round(0), bytesOf('x'));
    assert.throws(see, DiskError);
    assert.equal(opened.signer.sign('prevote', HEIGHT, round(0), bytesOf('a')).type, 'refused');
    assert.ok(opened.signer.state.stopped);
  });
}

test('a record read but never synced is made durable before its signature is repeated', () => {
  const steps: string[] = [];
  const disk = new FaultyDisk(BEFORE);
  const storage: SignStateStorage = {
    read: () => disk.read(),
    writeTemporary: (bytes) => steps.push(toHex(bytes)),
    syncTemporary: () => steps.push('sync'),
    renameTemporary: () => steps.push('rename'),
    syncDirectory: () => steps.push('syncDirectory'),
  };
  openSigner({ storage, lock: FREE_LOCK, key }, { chainHeight: height(19), newSignState: false });
  assert.deepEqual(steps, [toHex(BEFORE), 'sync', 'rename', 'syncDirectory']);
});
