/**
 * What a key may sign after what it has signed: the table of refusals.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  Height,
  MessageKind,
  OpenOptions,
  SignerPorts,
  SignResult,
} from '../../../src/machine/index.ts';
import { height, openSigner, round, SILENT_CUTS, type Signer } from '../../../src/machine/index.ts';
import { MemorySignState } from '../wire/memory-storage.ts';

const KEY_ID = new Uint8Array(48).fill(7);
const CHAIN = height(100);

class CountingKey {
  readonly id: Uint8Array;
  calls = 0;

  constructor(id: Uint8Array = KEY_ID) {
    this.id = id;
  }

  sign(bytes: Uint8Array, kind: MessageKind): Uint8Array {
    this.calls += 1;
    return Uint8Array.of(this.calls, kind.length, ...bytes);
  }
}

class Lock {
  holder: Uint8Array | undefined;

  acquire(id: Uint8Array): boolean {
    if (this.holder !== undefined) return false;
    this.holder = id;
    return true;
  }

  release(): void {
    this.holder = undefined;
  }
}

function ports() {
  return { storage: new MemorySignState(), lock: new Lock(), key: new CountingKey() };
}

function open(sources: SignerPorts, change: Partial<OpenOptions> = {}): Signer {
  const result = openSigner(sources, { chainHeight: CHAIN, newSignState: false, ...change });
  assert.ok(result.type === 'open', JSON.stringify(result));
  return result.signer;
}

function openFresh(sources: SignerPorts): Signer {
  return open(sources, { newSignState: true, firstUse: true });
}

const bytes = (text: string) => new TextEncoder().encode(text);

function ask(signer: Signer, request: Request): SignResult {
  const [kind, at, inRound, message] = request;
  return signer.sign(kind, height(at), round(inRound), bytes(message));
}

type Request = readonly [MessageKind, number, number, string];
type Outcome = 'signed' | 'repeated' | Extract<SignResult, { type: 'refused' }>['reason'];

const LAST: Request = ['prevote', 105, 3, 'a'];
const TABLE: readonly (readonly [Request, Outcome])[] = [
  [['prevote', 105, 3, 'a'], 'repeated'],
  [['prevote', 105, 3, 'b'], 'conflicting_message'],
  [['prevote', 105, 3, 'a '], 'conflicting_message'],
  [['prevote', 105, 3, ''], 'conflicting_message'],
  [['proposal', 105, 3, 'a'], 'step_regression'],
  [['precommit', 105, 3, 'a'], 'signed'],
  [['precommit', 105, 2, 'a'], 'round_regression'],
  [['prevote', 105, 2, 'a'], 'round_regression'],
  [['proposal', 105, 4, 'b'], 'signed'],
  [['prevote', 105, 4, 'b'], 'signed'],
  [['precommit', 104, 9, 'a'], 'height_regression'],
  [['prevote', 0, 3, 'a'], 'height_regression'],
  [['proposal', 106, 0, 'b'], 'signed'],
  [['precommit', 2 ** 50, 0, 'b'], 'signed'],
];

for (const [request, expected] of TABLE) {
  test(`after ${LAST.join(' ')}, ${request.join(' ')} is ${expected}`, () => {
    const sources = ports();
    const signer = openFresh(sources);
    const first = ask(signer, LAST);
    const result = ask(signer, request);
    if (expected === 'signed') {
      assert.equal(sources.key.calls, 2);
      assert.equal(result.type, 'signed');
    } else if (expected === 'repeated') {
      assert.deepEqual(result, first);
      assert.equal(sources.key.calls, 1);
    } else {
      assert.deepEqual(result, { type: 'refused', reason: expected });
      assert.equal(sources.key.calls, 1);
    }
    signer.close();
    const again = ask(open(sources), request);
    assert.deepEqual(again, result, 'and the same after a restart');
    assert.equal(sources.key.calls, expected === 'signed' ? 2 : 1);
  });
}

test('a signature is made for the kind of message it is', () => {
  const sources = ports();
  const result = ask(openFresh(sources), ['proposal', 105, 0, 'a']);
  assert.ok(result.type === 'signed');
  assert.equal(result.signature[1], 'proposal'.length);
});

test('a known key without a record is refused, unless allowed, and then it waits 48 cuts from a current head', () => {
  const sources = ports();
  const missing = openSigner(sources, { chainHeight: CHAIN, newSignState: false });
  assert.deepEqual(missing, { type: 'refused', reason: 'sign_state_missing' });
  assert.equal(sources.lock.holder, undefined, 'a refused signer lets go of the key');
  const stale = open(sources, { newSignState: true });
  const isSilentAt = (signer: Signer, at: number) =>
    assert.deepEqual(ask(signer, ['prevote', at, 0, 'a']), {
      type: 'refused',
      reason: 'silent_after_new_sign_state',
    });
  const current = CHAIN + 1_000;
  const last = current + SILENT_CUTS;
  assert.equal(SILENT_CUTS, 48);
  for (const at of [CHAIN, CHAIN + SILENT_CUTS + 1, last + 1]) isSilentAt(stale, at);
  stale.close();
  const signer = open(sources, {});
  assert.ok(signer.awaitsCurrent, 'the wait for a current head is on disk');
  isSilentAt(signer, last + 1);
  signer.beginSilence(height(current), SILENT_CUTS);
  signer.beginSilence(CHAIN, SILENT_CUTS);
  for (const at of [current, current + 1, last]) isSilentAt(signer, at);
  assert.equal(sources.key.calls, 0);
  signer.close();
  const again = open(sources, { chainHeight: height(last) });
  assert.equal(ask(again, ['prevote', last, 9, 'a']).type, 'refused', 'the wait is on disk');
  assert.equal(ask(again, ['prevote', last + 1, 0, 'a']).type, 'signed');
});

test('an existing record is not replaced, whatever the operator says', () => {
  const sources = ports();
  ask(openFresh(sources), LAST);
  sources.lock.release();
  assert.deepEqual(openSigner(sources, { chainHeight: CHAIN, newSignState: true }), {
    type: 'refused',
    reason: 'sign_state_exists',
  });
});

test('a key said to be new, while the log holds a message of it, waits like any other', () => {
  const lastLogged = { height: height(99), round: round(0), step: 1 } as const;
  const signer = open(ports(), { newSignState: true, firstUse: true, lastLogged });
  assert.deepEqual(ask(signer, ['prevote', 101, 0, 'a']), {
    type: 'refused',
    reason: 'silent_after_new_sign_state',
  });
});

const SEEN: readonly (readonly [Request, boolean])[] = [
  [['prevote', 105, 3, 'a'], false],
  [['prevote', 105, 2, 'x'], false],
  [['precommit', 104, 9, 'x'], false],
  [['prevote', 105, 3, 'b'], true],
  [['precommit', 105, 3, 'a'], true],
  [['proposal', 105, 4, 'a'], true],
  [['prevote', 106, 0, 'a'], true],
];

for (const [seen, stops] of SEEN) {
  test(`an own ${seen.join(' ')} from outside ${stops ? 'stops the key for good' : 'is known'}`, () => {
    const sources = ports();
    const signer = openFresh(sources);
    ask(signer, LAST);
    const [kind, at, inRound, message] = seen;
    const see = () => signer.ownMessageSeen(kind, height(at), round(inRound), bytes(message));
    assert.equal(see(), stops);
    const later = ask(signer, ['prevote', 200, 0, 'z']);
    signer.close();
    if (!stops) {
      assert.equal(later.type, 'signed');
      return;
    }
    assert.deepEqual(later, { type: 'refused', reason: 'key_in_use_elsewhere' });
    assert.deepEqual(ask(signer, LAST), { type: 'refused', reason: 'key_in_use_elsewhere' });
    assert.deepEqual(openSigner(sources, { chainHeight: CHAIN, newSignState: false }), {
      type: 'refused',
      reason: 'key_in_use_elsewhere',
    });
  });
}

test('own votes above the head that was shown stop a new record for good, during the wait and after it', () => {
  for (const isBefore of [true, false]) {
    const signer = open(ports(), { newSignState: true });
    const see = (at: number) =>
      signer.ownMessageSeen('prevote', height(at), round(0), bytes('theirs'));
    if (isBefore) {
      assert.equal(see(CHAIN + 8), false, 'nothing is known of that height yet');
      assert.equal(signer.beginSilence(height(CHAIN + 7), SILENT_CUTS), 'stopped');
    } else {
      assert.equal(signer.beginSilence(height(CHAIN + 7), SILENT_CUTS), 'silent');
      assert.equal(see(CHAIN + 8), true);
    }
    const after: Height = height(CHAIN + 500);
    assert.deepEqual(signer.sign('prevote', after, round(0), bytes('a')), {
      type: 'refused',
      reason: 'key_in_use_elsewhere',
    });
  }
});

test('own votes of before a lost record, which others still show of decided heights, stop nothing', () => {
  const signer = open(ports(), { newSignState: true });
  const see = (at: number) =>
    signer.ownMessageSeen('precommit', height(at), round(1), bytes('mine'));
  assert.equal(see(1), false);
  assert.equal(see(CHAIN + 7), false);
  assert.equal(signer.beginSilence(height(CHAIN + 7), SILENT_CUTS), 'silent');
  assert.equal(see(CHAIN + 7), false);
  const after: Height = height(CHAIN + 500);
  assert.equal(signer.sign('prevote', after, round(0), bytes('a')).type, 'signed');
});

test('a header names a signature that the record lacks if it is of a later round or height', () => {
  const signer = openFresh(ports());
  const isLacking = (at: number, inRound: number) =>
    signer.lacksPrecommit(height(at), round(inRound));
  assert.ok(isLacking(101, 0), 'a key that never signed lacks all');
  ask(signer, LAST);
  assert.equal(isLacking(104, 9), false);
  assert.equal(isLacking(105, 2), false);
  assert.ok(isLacking(105, 3), 'the record ends with the prevote of that round');
  assert.equal(ask(signer, ['precommit', 105, 3, 'a']).type, 'signed');
  assert.equal(isLacking(105, 3), false);
  assert.ok(isLacking(105, 4));
  assert.ok(isLacking(106, 0));
  signer.stop();
  assert.equal(ask(signer, ['prevote', 107, 0, 'a']).type, 'refused');
});

test('a record that lacks a signature is silent like a lost one: at once, through restarts, 48 cuts from a current head', () => {
  const sources = ports();
  const signer = openFresh(sources);
  ask(signer, LAST);
  signer.recordLacks(height(130), false);
  signer.close();
  const again = open(sources);
  assert.ok(again.awaitsCurrent, 'nothing has ended the silence yet');
  assert.equal(again.resume(height(105), []), 'silent');
  assert.ok(again.awaitsCurrent, 'nor does a lost log');
  assert.equal(ask(again, ['prevote', 500, 0, 'z']).type, 'refused');
  const see = (at: number) => again.ownMessageSeen('prevote', height(at), round(0), bytes('old'));
  assert.equal(see(140), false);
  assert.equal(again.beginSilence(height(150), SILENT_CUTS), 'silent');
  assert.equal(see(150), false, 'signed before the copy was started');
  assert.equal(again.lacksPrecommit(height(150), round(0)), false);
  assert.ok(again.lacksPrecommit(height(151), round(0)));
  again.close();
  const third = open(sources);
  assert.equal(ask(third, ['prevote', 150 + SILENT_CUTS, 0, 'z']).type, 'refused');
  assert.equal(ask(third, ['prevote', 151 + SILENT_CUTS, 0, 'z']).type, 'signed');
});

test('a record that lacks a signature made since the start, or above the current head, is of a key in use elsewhere', () => {
  for (const [at, sinceStart] of [
    [130, true],
    [151, false],
  ] as const) {
    const sources = ports();
    const signer = openFresh(sources);
    ask(signer, LAST);
    signer.recordLacks(height(at), sinceStart);
    assert.equal(signer.beginSilence(height(150), SILENT_CUTS), 'stopped');
    signer.close();
    const again = openSigner(sources, { chainHeight: CHAIN, newSignState: false });
    assert.deepEqual(again, { type: 'refused', reason: 'key_in_use_elsewhere' });
  }
});

test('a stopped or replaced key is not made silent instead', () => {
  for (const end of ['stop', 'retire'] as const) {
    const signer = openFresh(ports());
    signer[end]();
    const { state } = signer;
    signer.recordLacks(height(130), true);
    assert.equal(signer.state, state);
  }
});

test('a key that another process holds is refused, and free again when that one ends', () => {
  const sources = ports();
  const signer = openFresh(sources);
  const second = { ...sources, key: new CountingKey() };
  assert.deepEqual(openSigner(second, { chainHeight: CHAIN, newSignState: false }), {
    type: 'refused',
    reason: 'key_locked',
  });
  signer.close();
  assert.equal(openSigner(second, { chainHeight: CHAIN, newSignState: false }).type, 'open');
});

const RESUMES: readonly (readonly [string, number, readonly Request[], 'resumed' | 'silent'])[] = [
  ['the log asked for it', 105, [['proposal', 105, 3, 'p'], LAST], 'resumed'],
  ['the log is gone', 105, [], 'silent'],
  ['the log asked for something else there', 105, [['prevote', 105, 3, 'b']], 'silent'],
  ['the log ends before it', 105, [['precommit', 105, 2, 'a']], 'silent'],
  ['that height has passed', 106, [], 'resumed'],
  ['the chain is behind it', 104, [], 'silent'],
];

for (const [description, at, asked, expected] of RESUMES) {
  test(`at height ${at} ${description}: ${expected}`, () => {
    const sources = ports();
    const signer = openFresh(sources);
    ask(signer, LAST);
    signer.close();
    const reopened = open(sources);
    const requests = asked.map(([kind, requestHeight, inRound, message]) => ({
      height: height(requestHeight),
      round: round(inRound),
      step: ({ proposal: 0, prevote: 1, precommit: 2 } as const)[kind],
      signedBytes: bytes(message),
    }));
    assert.equal(reopened.resume(height(at), requests), expected);
    const result = ask(reopened, ['precommit', 105, 3, 'a']);
    const silent = { type: 'refused', reason: 'silent_after_lost_log' };
    if (expected === 'resumed') assert.equal(result.type, 'signed');
    else assert.deepEqual(result, silent);
    reopened.close();
    const third = open(sources);
    if (expected === 'silent') assert.deepEqual(ask(third, LAST), silent, 'also after a restart');
    assert.equal(ask(third, ['prevote', 106, 0, 'x']).type, 'signed', 'the next height is free');
  });
}

test('a key that was replaced signs at no height any more, and its record says so at every start', () => {
  const sources = ports();
  const signer = openFresh(sources);
  assert.equal(ask(signer, LAST).type, 'signed');
  signer.retire();
  signer.recordLacks(height(1_000), false);
  signer.beginSilence(CHAIN, SILENT_CUTS);
  for (const at of [CHAIN + 1, CHAIN + 1_000_000])
    assert.deepEqual(ask(signer, ['precommit', at, 9, 'x']), {
      type: 'refused',
      reason: 'key_retired',
    });
  signer.close();
  for (const newSignState of [false, true]) {
    const again = openSigner(sources, { chainHeight: CHAIN, newSignState });
    assert.equal(again.type, 'refused');
    assert.equal(
      again.type === 'refused' && again.reason,
      newSignState ? 'sign_state_exists' : 'key_retired',
    );
  }
});

test('a restart during the silence of a new record forgets nothing of where it began', () => {
  const sources = ports();
  const first = open(sources, { newSignState: true });
  assert.equal(first.beginSilence(height(CHAIN + 7), SILENT_CUTS), 'silent');
  first.close();
  const signer = open(sources);
  const see = (at: number) =>
    signer.ownMessageSeen('precommit', height(at), round(1), bytes('before the loss'));
  assert.equal(see(CHAIN + 7), false, 'of the time before the record was lost');
  assert.equal(see(CHAIN + 8), true, 'of another holder of the key');
});
