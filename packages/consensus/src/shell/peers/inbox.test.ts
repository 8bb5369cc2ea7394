import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SILENT_LOG } from 'svc-base/pure';
import {
  decodeMessage,
  encodeMessage,
  height,
  round,
  type SignatureVerdict,
  type WireMessage,
} from 'svc-consensus/machine';
import type { PacketLink } from '../ports/overlay.ts';
import { accountOf } from '../start/timing.ts';
import { type Arrival, INBOX_LIMITS, Inbox, type InboxPorts } from './inbox.ts';

const WIRE = { chainId: new Uint8Array(48), setIdAt: () => new Uint8Array(48).fill(1) };

function voteBy(validatorIndex: number, signature = 7, at = 0): Uint8Array {
  const vote: WireMessage = {
    kind: 'prevote',
    height: height(3),
    round: round(at),
    validRound: round(-1),
    value: null,
    validatorIndex,
    signature: new Uint8Array(3_309).fill(signature),
  };
  return encodeMessage(WIRE, vote);
}

interface Scene {
  readonly inbox: Inbox<Uint8Array>;
  readonly delivered: Arrival[];
  readonly checked: Uint8Array[];
  readonly blamed: string[];
  /** A link to a neighbour. */
  readonly link: (validatorId: string) => PacketLink;
}

const isRight = (packet: Uint8Array): SignatureVerdict =>
  packet.at(-1) === 7 ? { holds: true } : { holds: false, code: 'bad_signature' };

function sceneWith(ports: Partial<InboxPorts<Uint8Array>> = {}): Scene {
  const delivered: Arrival[] = [];
  const checked: Uint8Array[] = [];
  const blamed: string[] = [];
  const inbox = new Inbox<Uint8Array>({
    codec: {
      decode: (packet) => decodeMessage(WIRE, packet),
      sizeOf: (packet) => packet.length,
      keyOf: (packet) => packet.join(),
    },
    log: SILENT_LOG,
    clock: { now: () => 5, monotonic: () => 5 },
    soon: (call) => void setImmediate(call),
    checks: {
      verify: (messages) => {
        checked.push(...messages);
        return messages.map(isRight);
      },
    },
    limits: INBOX_LIMITS,
    accountOf,
    isWanted: () => 'verify',
    slotOf: (message) => ('validatorIndex' in message ? `${message.validatorIndex}` : message.kind),
    deliver: (arrival) => delivered.push(arrival),
    onFatal: (error) => assert.fail(String(error)),
    ...ports,
  });
  const link = (validatorId: string): PacketLink => {
    return { validatorId, blame: (reason) => void blamed.push(`${validatorId}: ${reason}`) };
  };
  return { inbox, delivered, checked, blamed, link };
}

async function turns(count = 40): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('a neighbour that sends a forged message of its own is blamed for each, one that passed it on is not', async () => {
  const { inbox, blamed, link } = sceneWith();
  inbox.receive('origin', voteBy(1, 8), link('forwarder'));
  inbox.receive('forger', voteBy(2, 8), link('forger'));
  inbox.receive('honest', voteBy(3), link('honest'));
  await turns();
  const reason = 'a message whose signature does not hold';
  assert.deepEqual(blamed, [`forger: ${reason}`]);
  inbox.receive('another', voteBy(2, 8), link('another'));
  await turns();
  assert.deepEqual(blamed, [`forger: ${reason}`, `another: ${reason}`], 'known to be forged');
  assert.equal(inbox.rejected, 3);
});

test('a neighbour is silenced for what it passes on in the name of others, and they are heard', async () => {
  const { inbox, delivered, link } = sceneWith();
  for (let more = 0; more < 200; more++) {
    inbox.receive('honest', voteBy(more % 60, 8 + (more >> 5)), link('forger'));
    await turns(1);
  }
  assert.equal(inbox.rejected, 16);
  inbox.receive('honest', voteBy(1), link('honest'));
  inbox.receive('honest', voteBy(2), link('another'));
  inbox.receive('forger', voteBy(3), link('forger'));
  await turns();
  assert.deepEqual(
    delivered.map(({ from, isDirect }) => [from, isDirect]),
    [
      ['honest', true],
      ['honest', false],
      ['forger', true],
    ],
  );
});

test('a neighbour is not silenced for what the author of a message was not allowed to send', async () => {
  const { inbox, link } = sceneWith({ isWanted: () => 'reject' });
  for (let more = 0; more < 40; more++) inbox.receive('liar', voteBy(more), link('forwarder'));
  await turns();
  assert.equal(inbox.rejected, 0);
  for (let more = 0; more < 40; more++) inbox.receive('liar', voteBy(more), link('liar'));
  await turns();
  assert.equal(inbox.rejected, 40);
});

for (const code of ['wrong_validator_set', 'bad_cut'] as const) {
  const isCounted = code !== 'wrong_validator_set';
  test(`${code}: a link is not ended, and its other end is ${isCounted ? '' : 'not '}silenced in the end`, async () => {
    const { inbox, blamed, link } = sceneWith({
      checks: { verify: (messages) => messages.map(() => ({ holds: false, code }) as const) },
    });
    for (let more = 0; more < 40; more++) {
      inbox.receive('honest', voteBy(more), link('honest'));
      await turns(1);
    }
    assert.deepEqual([inbox.rejected, blamed], [isCounted ? 16 : 0, []]);
  });
}

test('a message that several neighbours bring is checked once; a forged copy does not keep it out', async () => {
  const { inbox, delivered, checked } = sceneWith();
  inbox.receive('forger', voteBy(1, 8));
  for (const from of ['a', 'b', 'c']) inbox.receive(from, voteBy(1));
  await turns();
  assert.equal(checked.length, 2);
  assert.deepEqual(
    delivered.map(({ from }) => from),
    ['a'],
  );
  assert.equal(inbox.rejected, 1);
});

test('what is not wanted is not checked, and what came too late for it is not delivered', async () => {
  let wanted: 'drop' | 'verify' = 'drop';
  const { inbox, delivered, checked } = sceneWith({ isWanted: () => wanted });
  inbox.receive('a', voteBy(1));
  await turns();
  assert.equal(checked.length, 0);
  wanted = 'verify';
  const late = sceneWith({
    isWanted: () => wanted,
    checks: {
      verify: async (messages) => {
        wanted = 'drop';
        return messages.map(() => ({ holds: true }) as const);
      },
    },
  });
  late.inbox.receive('a', voteBy(1));
  await turns();
  assert.deepEqual([delivered.length, late.delivered.length], [0, 0]);
});

const MEMBERS = 64;
/** Units of the room that each member of a committee may use: votes. */
const SHARE = 16_384 / MEMBERS;

test('twenty noisy members of 64 take nothing from the others, in whatever order they send', () => {
  const packets = Array.from({ length: MEMBERS }, (_, index) => voteBy(index));
  const order = fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 40, maxLength: 200 });
  fc.assert(
    fc.property(order, fc.integer({ min: 1, max: SHARE }), (draws, honestEach) => {
      const calls: (() => void)[] = [];
      const { inbox, delivered } = sceneWith({
        soon: (call) => calls.push(call),
        isWanted: () => 'accept',
      });
      const left = packets.map((_, index) => (index < 20 ? 1_200 : honestEach));
      for (let at = 0; left.some((count) => count > 0); at++) {
        // Each round through the draws moves on by one, so that every member gets its turn.
        const round = Math.floor(at / draws.length);
        const index = ((draws[at % draws.length] ?? 0) + round) % MEMBERS;
        const count = Math.min(left[index] ?? 0, 1 + ((index * 7 + at) % 300));
        left[index] = (left[index] ?? 0) - count;
        for (let more = 0; more < count; more++)
          inbox.receive(`${index}`, packets[index] as Uint8Array);
      }
      for (let call = calls.shift(); call !== undefined; call = calls.shift()) call();
      const honest = delivered.filter(({ from }) => Number(from) >= 20);
      assert.equal(honest.length, 44 * honestEach);
    }),
    { numRuns: 10 },
  );
});

test('a full inbox hears every honest vote in its first turn', async () => {
  const calls: (() => void)[] = [];
  const { inbox, delivered } = sceneWith({ soon: (call) => calls.push(call) });
  for (let noisy = 0; noisy < 20; noisy++)
    for (let more = 0; more < 2_000; more++) inbox.receive(`noisy ${noisy}`, voteBy(noisy));
  for (let index = 20; index < MEMBERS; index++) inbox.receive(`honest ${index}`, voteBy(index));
  calls.shift()?.();
  const heard = delivered.filter(({ from }) => from.startsWith('honest'));
  assert.equal(heard.length, 44);
});

test('blocks without end leave room for votes', () => {
  const block = new Uint8Array(64_000);
  const { inbox } = sceneWith({ soon: () => {} });
  for (let more = 0; more < 3_000; more++) inbox.receive('blocks', block);
  const before = inbox.dropped;
  for (let index = 0; index < 44; index++) inbox.receive(`${index}`, voteBy(index));
  assert.ok(before > 0);
  assert.equal(inbox.dropped - before, Math.ceil(44 / 16), 'each block has room for 16 votes');
});

test('garbage is counted, and busy checks lose messages, not the validator', async () => {
  const { inbox, delivered } = sceneWith();
  inbox.receive('quiet', voteBy(2));
  inbox.receive('quiet', Uint8Array.of(99, 1, 2));
  inbox.receive('quiet', new Uint8Array(10_000_000));
  await turns();
  assert.ok(delivered.some(({ from }) => from === 'quiet'));
  assert.deepEqual([inbox.rejected, inbox.dropped], [1, 1]);
  const busy = sceneWith({
    checks: { verify: () => Promise.reject(new Error('busy')) },
  });
  busy.inbox.receive('a', voteBy(1));
  await turns();
  assert.deepEqual([busy.inbox.dropped, busy.delivered.length], [1, 0]);
  busy.inbox.close();
  busy.inbox.receive('a', voteBy(1));
});

/** Checks that are answered when the test says so. */
function lateChecks() {
  const asked: number[] = [];
  const waiting: (() => void)[] = [];
  const verify = (packets: readonly Uint8Array[]): Promise<readonly SignatureVerdict[]> => {
    asked.push(packets.length);
    return new Promise((resolve) => waiting.push(() => resolve(packets.map(isRight))));
  };
  const answer = () => {
    for (const give of waiting.splice(0)) give();
  };
  return { asked, answer, checks: { verify } };
}

test('of what a neighbour sends for one slot one message is checked at a time, beside one of another neighbour', async () => {
  const { asked, answer, checks } = lateChecks();
  let isWanted = true;
  const delivered: string[] = [];
  const { inbox } = sceneWith({
    checks,
    isWanted: () => (isWanted ? 'verify' : 'drop'),
    deliver: ({ from }) => {
      delivered.push(from);
      isWanted = false;
    },
  });
  for (let turn = 0; turn < 4; turn++) {
    for (let more = 0; more < 50; more++) inbox.receive('liar', voteBy(1, 7, turn * 50 + more));
    await turns(2);
  }
  inbox.receive('honest', voteBy(1, 7, 1_000));
  await turns(2);
  assert.deepEqual(asked, [1, 1]);
  answer();
  await turns();
  assert.deepEqual(delivered, ['liar'], 'it made the other useless');
});

test('more than those who check have room for waits here', async () => {
  const { asked, answer, checks } = lateChecks();
  const { inbox, delivered } = sceneWith({ checks });
  for (let more = 0; more < 3_000; more++) inbox.receive(`${more}`, voteBy(more % 64, 7, more));
  await turns();
  const sum = () => asked.reduce((before, count) => before + count, 0);
  assert.equal(sum(), 2_048);
  answer();
  await turns();
  assert.deepEqual([sum(), delivered.length], [3_000, 2_048]);
});

test('a packet whose signature did not hold is not checked again, and still blames who sends it', async () => {
  const { inbox, checked, delivered } = sceneWith();
  inbox.receive('a', voteBy(1, 8));
  await turns();
  for (const from of ['a', 'b', 'b']) inbox.receive(from, voteBy(1, 8));
  await turns();
  assert.deepEqual([checked.length, delivered.length, inbox.rejected], [1, 0, 4]);
});

test('who sent sixteen bad messages is not heard for ten seconds after the first, and others are', async () => {
  let now = 5;
  const { inbox, delivered } = sceneWith({ clock: { now: () => 5, monotonic: () => now } });
  const forge = async (from: string, count: number): Promise<void> => {
    for (let at = 0; at < count; at++) inbox.receive(from, voteBy(at, 8));
    await turns();
  };
  await forge('bad', 15);
  now += 9_000;
  inbox.receive('bad', voteBy(1));
  await turns();
  assert.equal(delivered.length, 1, 'fifteen are not enough');
  await forge('bad', 1);
  assert.equal(inbox.rejected, 16);
  for (const from of ['bad', 'good']) inbox.receive(from, voteBy(2));
  await turns();
  assert.deepEqual(
    delivered.map(({ from }) => from),
    ['bad', 'good'],
  );
  now += 1_000;
  inbox.receive('bad', voteBy(3));
  await turns();
  assert.equal(delivered.length, 3);
});

test('queued messages of all peers together have a limit of bytes, and handling them makes room', async () => {
  const { inbox } = sceneWith({
    codec: {
      decode: (packet) => decodeMessage(WIRE, packet),
      sizeOf: () => 1 << 16,
      keyOf: (packet) => packet.join(),
    },
  });
  for (let count = 0; count < 1_026; count++) inbox.receive(`sender ${count}`, voteBy(count % 64));
  assert.equal(inbox.dropped, 2, '1,024 of these are 64 MiB');
  await turns();
  inbox.receive('another', voteBy(1));
  assert.equal(inbox.dropped, 2);
  await turns();
});
