import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Log, SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import { withoutSum, withSum } from '../file/summed-json.ts';
import { AuditFile, type AuditLine, auditPath, readAudit } from './audit-file.ts';
import type { AuditEntry } from './audit-outbox.ts';
import { openState, type State } from './open-state.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };

class Place {
  readonly directory: string;
  readonly #clock = new ManualClock(1_000);
  readonly errors: string[] = [];

  constructor(directory: string) {
    this.directory = directory;
  }

  get path(): string {
    return auditPath(join(this.directory, 'wallet'));
  }

  get state(): string {
    return join(this.directory, 'wallet.state');
  }

  /** Opens state and audit for as long as something is done. */
  use(work: (state: State, audit: AuditFile) => void): void {
    const state = openState(join(this.directory, 'wallet'), IDENTITY, 'test');
    const log: Log = { ...SILENT_LOG, error: (_, message) => this.errors.push(message) };
    const audit = new AuditFile({ path: this.path, state, clock: this.#clock, log });
    try {
      work(state, audit);
    } finally {
      audit.close();
      state.close();
    }
  }

  read(): { names: string[]; sequences: number[]; fault: unknown } {
    const lines: AuditLine[] = [];
    const { fault } = readAudit(this.path, (line) => lines.push(line));
    return {
      names: lines.map(({ request_id }) => request_id),
      sequences: lines.map(({ sequence }) => sequence),
      fault,
    };
  }
}

const place = (t: TestContext): Place => new Place(temporaryDirectory(t));

function add({ auditOutbox }: State, ...names: string[]): void {
  for (const request_id of names) {
    const entry: AuditEntry = {
      ...{
        event: 'made',
        caller: 'hot',
        request_id,
        method: 'send',
        transaction: 'ab',
        kind: 'payment',
      },
      ...{
        amount: '1.00000000',
        fee: '0.00010000',
        recipients: [{ to: 'x', amount: '1.00000000' }],
      },
    };
    auditOutbox.add(JSON.stringify(entry));
  }
}

test('lines are numbered, follow from one another, and go on after a restart', (t) => {
  const one = place(t);
  one.use((_, audit) => audit.sync());
  assert.equal(existsSync(one.path), false, 'no file before the first payment');
  one.use((state, audit) => {
    add(state, 'a', 'b');
    audit.sync();
    audit.sync();
    add(state, 'c');
    audit.sync();
  });
  one.use((state) => add(state, 'd'));
  one.use((_, audit) => audit.sync());
  assert.deepEqual(one.read(), {
    names: ['a', 'b', 'c', 'd'],
    sequences: [1, 2, 3, 4],
    fault: null,
  });
  assert.equal(statSync(one.path).mode & 0o777, 0o600);
  assert.deepEqual(one.errors, []);
});

test('a kill between the file and the state writes no line twice, and a torn line is written again', (t) => {
  const one = place(t);
  one.use((state) => add(state, 'a', 'b'));
  const before = readFileSync(one.state);
  one.use((_, audit) => audit.sync());
  writeFileSync(one.state, before);
  rmSync(`${one.state}.sum`);
  one.use((state, audit) => {
    add(state, 'c');
    audit.sync();
  });
  assert.deepEqual(one.read().names, ['a', 'b', 'c']);
  one.use((state) => add(state, 'd'));
  appendFileSync(one.path, '{"sequence":4,"prev');
  assert.equal(one.read().fault, null, 'a line that is being written is no fault');
  one.use((_, audit) => audit.sync());
  assert.deepEqual(one.read(), {
    names: ['a', 'b', 'c', 'd'],
    sequences: [1, 2, 3, 4],
    fault: null,
  });
});

test('a state from a backup does not use the numbers that the file has', (t) => {
  const one = place(t);
  one.use(() => {});
  const backup = temporaryDirectory(t);
  cpSync(one.directory, backup, { recursive: true });
  one.use((state, audit) => {
    add(state, 'a', 'b');
    audit.sync();
  });
  cpSync(one.path, auditPath(join(backup, 'wallet')));
  const restored = new Place(backup);
  restored.use((state, audit) => {
    add(state, 'c');
    audit.sync();
  });
  assert.deepEqual(restored.read(), { names: ['a', 'b', 'c'], sequences: [1, 2, 3], fault: null });
});

test('a line that was changed, removed or put in shows, and a file that is gone is told of', (t) => {
  const one = place(t);
  one.use((state, audit) => {
    add(state, 'a', 'b', 'c', 'd');
    audit.sync();
  });
  const text = readFileSync(one.path, 'utf8');
  const lines = text.trimEnd().split('\n');
  const faultOf = (changed: readonly string[]): unknown => {
    writeFileSync(one.path, `${changed.join('\n')}\n`);
    return one.read().fault;
  };
  assert.equal(faultOf(lines), null);
  const broken = { line: 3, reason: 'the line before is another' };
  const alien = { line: 3, reason: 'it is no line of an audit file' };
  const changed = (line: string) => line.replace('"1.00000000"', '"2.00000000"');
  const other = withSum(changed(withoutSum(lines[1] as string) ?? ''));
  assert.deepEqual(faultOf(lines.with(1, other)), broken);
  assert.deepEqual(faultOf(lines.with(3, changed(lines[3] as string))), { ...alien, line: 4 });
  assert.deepEqual(faultOf(lines.toSpliced(1, 1)), { ...broken, line: 2 });
  assert.deepEqual(faultOf(lines.toSpliced(2, 0, lines[1] as string)), broken);
  assert.deepEqual(faultOf(lines.with(2, 'x')), alien);
  const endless = 'x'.repeat(3 << 20);
  assert.deepEqual(faultOf(lines.toSpliced(2, 0, endless)), alien, 'what follows is not read');
  rmSync(one.path);
  one.use((state, audit) => {
    add(state, 'e');
    audit.sync();
  });
  assert.deepEqual(one.errors, ['lines of the audit file are gone']);
  assert.deepEqual(one.read(), { names: ['e'], sequences: [5], fault: null });
});

test('an entry that was taken back is not told, although its number is used again', (t) => {
  const one = place(t);
  one.use((state, audit) => {
    add(state, 'a');
    const fail = (): void => {
      add(state, 'b', 'c');
      throw new Error('refused');
    };
    assert.throws(() => state.database.lazily(fail), /refused/);
    state.database.lazily(() => add(state, 'd'));
    const mark = audit.mark();
    state.database.lazily(() => add(state, 'e'));
    assert.equal(mark, 2);
    audit.sync();
  });
  assert.deepEqual(one.read(), { names: ['a', 'd', 'e'], sequences: [1, 2, 3], fault: null });
});
