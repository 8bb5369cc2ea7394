/**
 * The sign state and the log of a validator are corrupted, cut short, deleted, swapped and rolled
 * back, each alone and one against the other. What either file knows is never contradicted, and a
 * lock that others rely on is never forgotten: the validator says why it refuses, or stays silent.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLog } from 'svc-base/pure';
import { contextBytes } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import type {
  CutId,
  Input,
  SignedMessage,
  SignPosition,
  StartFault,
  StartResult,
  StartSources,
  UnsignedMessage,
} from '../../../src/machine/index.ts';
import {
  decodeInput,
  decodeSignState,
  height,
  initialState,
  NIL,
  NO_ROUND,
  openSigner,
  round,
  signatureContext,
  signedBytesOf,
  signStepOf,
  startValidator,
  step,
} from '../../../src/machine/index.ts';
import { contextFor, HEIGHT, TIME } from '../wire/cluster.ts';
import { type Member, makeCommittee } from '../wire/committee.ts';
import { FREE_LOCK, MemorySignState } from '../wire/memory-storage.ts';
import { COMMITTEE, type Files, recordHeight, recordOf, SUBJECT } from './recorded-height.ts';

const RECORDED = recordHeight();
const LAST = RECORDED.history[RECORDED.history.length - 1] as Files;
const OTHER_CUT = 'ee'.repeat(48) as CutId;

type Change = Partial<Omit<StartSources, 'log'>> & {
  readonly log?: Uint8Array;
  readonly record?: Uint8Array | undefined;
};

function sources(change: Change = {}): StartSources {
  const member = COMMITTEE.members[SUBJECT] as Member;
  const storage = new MemorySignState();
  storage.record = 'record' in change ? change.record : LAST.record;
  const key = {
    id: member.id,
    sign: (bytes: Uint8Array, kind: UnsignedMessage['kind']) =>
      mlDsa65.sign(member.secretKey, bytes, { context: contextBytes(signatureContext(kind)) }),
  };
  return {
    ports: { storage, lock: FREE_LOCK, key },
    options: { chainHeight: height(HEIGHT - 1), newSignState: false },
    wire: COMMITTEE.wire,
    context: contextFor(COMMITTEE, SUBJECT),
    previous: undefined,
    holdsCut: () => true,
    ...change,
    log: change.log ?? LAST.log,
  };
}

function start(change: Change = {}): StartResult {
  return startValidator(sources(change));
}

function expectRefused(change: Change, reason: StartFault): void {
  assert.deepEqual(start(change), { type: 'refused', reason });
}

/** Another cut is proposed and voted for, timers run out: everything that could make it sign again. */
function temptations(): Input[] {
  const inputs: Input[] = [];
  for (let at = 0; at < 4; at++) {
    const place = { height: HEIGHT, round: round(at), value: OTHER_CUT, signature: fake };
    const others = [0, 2]; // With a third the other cut would have a polka, and locks may move to it.
    const vote = (kind: 'prevote' | 'precommit', validatorIndex: number): Input => ({
      type: 'vote',
      vote: { ...place, kind, validRound: NO_ROUND, validatorIndex },
    });
    const timer = (name: 'propose' | 'prevote' | 'precommit'): Input => ({
      type: 'timer',
      timer: name,
      height: HEIGHT,
      round: round(at),
      nowMs: TIME,
    });
    inputs.push(
      {
        type: 'proposal',
        proposal: { ...place, kind: 'proposal', validRound: NO_ROUND, validatorIndex: at % 4 },
        cutTimeMs: TIME,
        receivedAtMs: TIME,
      },
      { type: 'verdict', height: HEIGHT, value: OTHER_CUT, verdict: 'valid' },
      timer('propose'),
      ...others.map((index) => vote('prevote', index)),
      timer('prevote'),
      timer('precommit'),
    );
  }
  return inputs;
}

const fake = new Uint8Array(3309);

/** Starts, is tempted, and returns what it signed. */
function signedAfter(started: Extract<StartResult, { type: 'started' }>): UnsignedMessage[] {
  const context = contextFor(COMMITTEE, SUBJECT);
  let state = started.recovered?.state ?? initialState(context);
  const signed: UnsignedMessage[] = [];
  const waiting: Input[] = [];
  const run = (effects: readonly { readonly type: string }[]) => {
    for (const effect of effects as readonly { type: string; message: UnsignedMessage }[]) {
      if (effect.type !== 'sign') continue;
      const { message } = effect;
      const bytes = signedBytesOf(COMMITTEE.wire, message);
      const result = started.signer.sign(message.kind, message.height, message.round, bytes);
      if (result.type === 'refused') continue;
      signed.push(message);
      const own = { ...message, signature: result.signature } as SignedMessage;
      waiting.push({ type: 'signed', message: own });
    }
  };
  run(started.recovered?.effects ?? []);
  const startTimer: Input = {
    type: 'timer',
    timer: 'start',
    height: HEIGHT,
    round: round(0),
    nowMs: TIME,
  };
  for (const input of [startTimer, ...temptations()]) {
    waiting.push(input);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const result = step(state, next);
      state = result.state;
      run(result.effects);
    }
  }
  return signed;
}

function isKnown(position: SignPosition, files: Files): boolean {
  const { last } = recordOf(files);
  const logged = messagesIn(files.log).map(positionOf);
  return [...(last === undefined ? [] : [last]), ...logged].some(
    (known) => compare(known, position) >= 0,
  );
}

function positionOf({ kind, height: at, round: inRound }: UnsignedMessage): SignPosition {
  return { height: at, round: inRound, step: signStepOf(kind) };
}

function compare(a: SignPosition, b: SignPosition): number {
  return a.height - b.height || a.round - b.round || a.step - b.step;
}

function messagesIn(log: Uint8Array): SignedMessage[] {
  const reading = readLog(log);
  if (reading.type !== 'read') return [];
  return reading.records.flatMap(({ payload }) => {
    const input = decodeInput(COMMITTEE.wire, payload);
    return input.type === 'signed' ? [input.message] : [];
  });
}

/** No position that the files know is signed differently from what was sent before. */
function checkAgainstHistory(files: Files, signed: readonly UnsignedMessage[]): void {
  for (const message of signed) {
    const position = positionOf(message);
    const before = RECORDED.sent.find((sent) => compare(positionOf(sent), position) === 0);
    if (before === undefined || !isKnown(position, files)) continue;
    const [was, is] = [before, message].map((one) => signedBytesOf(COMMITTEE.wire, one));
    assert.deepEqual(is, was, `signed twice at ${position.round}/${position.step}`);
  }
}

/** While it relies on a lock, it prevotes for nothing else in a later round. */
function checkLock(files: Files, signed: readonly UnsignedMessage[]): void {
  const { last } = recordOf(files);
  if (last === undefined) return;
  const locking = RECORDED.sent.find(
    (sent) =>
      sent.kind === 'precommit' && sent.value !== NIL && compare(positionOf(sent), last) <= 0,
  );
  if (locking === undefined) return;
  for (const message of signed)
    if (message.kind === 'prevote' && message.round > locking.round)
      assert.ok(message.value === locking.value || message.value === NIL, 'a lock was forgotten');
}

test('the recorded height has a lock in round 0 and all kinds of messages in round 1', () => {
  const told = RECORDED.sent.map(({ kind, round: at, validRound }) => [kind, at, validRound]);
  assert.deepEqual(told, [
    ['prevote', 0, -1],
    ['precommit', 0, -1],
    ['proposal', 1, 0],
    ['prevote', 1, 0],
    ['precommit', 1, -1],
  ]);
  assert.ok(RECORDED.history.length > 20);
});

test('a crash anywhere in the height: it continues, and contradicts nothing', () => {
  for (const files of RECORDED.history) {
    const started = start(files);
    assert.ok(started.type === 'started');
    assert.equal(started.signing, 'resumed');
    const signed = signedAfter(started);
    checkAgainstHistory(files, signed);
    checkLock(files, signed);
  }
});

test('either file rolled back to any moment: refused, silent, or nothing was lost', () => {
  const outcomes = new Map<string, number>();
  for (const [at, { log }] of RECORDED.history.entries())
    for (const [other, { record }] of RECORDED.history.entries()) {
      if (at === other) continue;
      const files = { log, record };
      const started = start(files);
      const outcome = started.type === 'refused' ? started.reason : started.signing;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (started.type === 'refused') continue;
      const signed = signedAfter(started);
      if (started.signing === 'silent') assert.deepEqual(signed, []);
      checkAgainstHistory(files, signed);
      checkLock(files, signed);
    }
  assert.deepEqual([...outcomes.keys()].sort(), ['resumed', 'sign_state_rolled_back', 'silent']);
});

test('every bit flip and every truncation of the sign state is refused as damaged', () => {
  for (let at = 0; at < LAST.record.length; at++) {
    const record = LAST.record.slice();
    record[at] = (record[at] as number) ^ (1 << (at % 8));
    assert.equal(decodeSignState(record), undefined, `byte ${at}`);
    if (at % 29 === 0) expectRefused({ record }, 'sign_state_damaged');
    if (at % 29 === 0) expectRefused({ record: LAST.record.slice(0, at) }, 'sign_state_damaged');
  }
  expectRefused({ record: new Uint8Array([...LAST.record, 0]) }, 'sign_state_damaged');
  expectRefused({ record: new Uint8Array(0) }, 'sign_state_damaged');
});

test('bit flips and truncations of the log: refused as corrupt, or cut off and accounted for', () => {
  const outcomes = new Set<string>();
  const check = (log: Uint8Array) => {
    const started = start({ log });
    outcomes.add(started.type === 'refused' ? started.reason : started.signing);
    if (started.type === 'refused') return;
    const signed = signedAfter(started);
    checkAgainstHistory({ ...LAST, log: new Uint8Array(0) }, signed);
    checkLock(LAST, signed);
  };
  for (let at = 0; at < LAST.log.length; at += 1009) {
    const log = LAST.log.slice();
    log[at] = (log[at] as number) ^ 4;
    check(log);
    check(LAST.log.slice(0, at));
  }
  assert.deepEqual([...outcomes].sort(), ['log_rotten_record', 'resumed', 'silent']);
});

test('a deleted log silences the rest of the height, also after another start, and no longer', () => {
  const first = sources({ log: new Uint8Array(0) });
  const started = startValidator(first);
  assert.ok(started.type === 'started');
  assert.equal(started.signing, 'silent');
  assert.equal(started.recovered, undefined);
  assert.deepEqual(signedAfter(started), []);
  const again = startValidator({ ...first, log: LAST.log });
  assert.ok(again.type === 'started');
  assert.equal(again.signing, 'silent', 'the log came back, the silence stays');
  const next = { ...first.context, height: height(HEIGHT + 1) };
  const later = startValidator({ ...first, context: next, log: LAST.log });
  assert.ok(later.type === 'started');
  assert.equal(later.signing, 'resumed');
  assert.deepEqual([later.intactBytes, later.recovered], [0, undefined]);
  assert.equal(
    later.signer.sign('prevote', next.height, round(0), Uint8Array.of(1)).type,
    'signed',
  );
});

test('control: a signer that does not ask what the log accounts for forgets its lock', () => {
  const files = RECORDED.history.findLast((entry) => recordOf(entry).last?.round === 0) as Files;
  const { ports, options } = sources({ record: files.record });
  const opened = openSigner(ports, options);
  assert.ok(opened.type === 'open');
  const careless = { type: 'started', signer: opened.signer, signing: 'resumed' } as const;
  const none = { recovered: undefined, intactBytes: 0, intactRecords: 0 };
  const signed = signedAfter({ ...careless, ...none });
  assert.throws(() => checkLock(files, signed), /a lock was forgotten/);
});

test('deleted, swapped and foreign files are refused by name', () => {
  expectRefused({ record: undefined }, 'sign_state_missing');
  expectRefused({ record: RECORDED.foreign.record }, 'sign_state_of_another_key');
  expectRefused({ log: RECORDED.foreign.log }, 'log_of_another_validator');
  expectRefused({ log: LAST.log, record: RECORDED.foreign.record }, 'sign_state_of_another_key');
  const behind = { ...contextFor(COMMITTEE, SUBJECT), height: height(HEIGHT - 1) };
  expectRefused({ context: behind }, 'log_ahead_of_chain');
  const strangers = makeCommittee('strangers', [1n, 1n, 1n, 1n]);
  expectRefused({ wire: strangers.wire }, 'log_undecodable');
  const twice = new Uint8Array([...LAST.log, ...LAST.log]);
  expectRefused({ log: twice }, 'log_wrong_sequence');
  expectRefused({ log: LAST.log.slice(secondRecordAt()) }, 'log_wrong_sequence');
});

function secondRecordAt(): number {
  return 20 + new DataView(LAST.log.buffer, LAST.log.byteOffset).getUint32(12, true);
}

test('with a new sign state the log of the old one is no excuse: the wait is the same', () => {
  const options = { chainHeight: height(HEIGHT - 1), newSignState: true, firstUse: true };
  const started = start({ record: undefined, options });
  assert.ok(started.type === 'started');
  assert.deepEqual(signedAfter(started), []);
  const request = ['prevote', height(HEIGHT + 5), round(0), Uint8Array.of(1)] as const;
  assert.deepEqual(started.signer.sign(...request), {
    type: 'refused',
    reason: 'silent_after_new_sign_state',
  });
});

test('both files of one older moment look like a crash; an own message from outside ends it', () => {
  const [older] = RECORDED.history;
  assert.ok(older !== undefined);
  const started = start(older);
  assert.ok(started.type === 'started');
  const [sent] = RECORDED.sent;
  assert.ok(sent !== undefined);
  const bytes = signedBytesOf(COMMITTEE.wire, sent);
  assert.ok(started.signer.ownMessageSeen(sent.kind, sent.height, sent.round, bytes));
  assert.deepEqual(signedAfter(started), []);
});
