import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import {
  decodeMessage,
  encodeMessage,
  height,
  round,
  type SignatureVerdict,
  type WireMessage,
} from 'svc-finality';
import { type Arrival, Inbox, type InboxPorts } from './inbox.ts';

const WIRE = { chainId: new Uint8Array(48), setIdAt: () => new Uint8Array(48).fill(1) };

function voteBy(validatorIndex: number, signature = 7): Uint8Array {
  const vote: WireMessage = {
    kind: 'prevote',
    height: height(3),
    round: round(0),
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
}

function sceneWith(ports: Partial<InboxPorts<Uint8Array>> = {}): Scene {
  const delivered: Arrival[] = [];
  const checked: Uint8Array[] = [];
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
        return messages.map(
          (message): SignatureVerdict =>
            message.at(-1) === 7 ? { holds: true } : { holds: false, code: 'bad_signature' },
        );
      },
    },
    isWanted: () => 'verify',
    deliver: (arrival) => delivered.push(arrival),
    onFatal: (error) => assert.fail(String(error)),
    ...ports,
  });
  return { inbox, delivered, checked };
}

async function turns(): Promise<void> {
  for (let count = 0; count < 40; count++) await new Promise((resolve) => setImmediate(resolve));
}

test('whoever sends a forged message over its own connection is blamed for each, whoever passed it on is not', async () => {
  const { inbox } = sceneWith();
  const blamed: string[] = [];
  const blame = (name: string) => (reason: string) => void blamed.push(`${name}: ${reason}`);
  inbox.receive('passed on', voteBy(1, 8));
  inbox.receive('forger', voteBy(2, 8), blame('forger'));
  inbox.receive('honest', voteBy(3), blame('honest'));
  await turns();
  const reason = 'a message whose signature does not hold';
  assert.deepEqual(blamed, [`forger: ${reason}`]);
  inbox.receive('another', voteBy(2, 8), blame('another'));
  await turns();
  assert.deepEqual(blamed, [`forger: ${reason}`, `another: ${reason}`], 'known to be forged');
  assert.equal(inbox.rejected, 3);
});

test('nobody is blamed for a set that is not known here', async () => {
  const { inbox } = sceneWith({
    checks: { verify: () => [{ holds: false, code: 'wrong_validator_set' }] },
  });
  inbox.receive('honest', voteBy(1), () => assert.fail('blamed'));
  await turns();
});

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

test('one sender cannot fill it, garbage is counted, and busy checks lose messages, not the validator', async () => {
  const { inbox, delivered } = sceneWith();
  for (let count = 0; count < 2_000; count++) inbox.receive('flood', voteBy(1));
  assert.equal(inbox.dropped, 2_000 - 1_024);
  inbox.receive('quiet', voteBy(2));
  inbox.receive('quiet', Uint8Array.of(99, 1, 2));
  inbox.receive('quiet', new Uint8Array(10_000_000));
  await turns();
  assert.ok(delivered.some(({ from }) => from === 'quiet'));
  assert.equal(inbox.rejected, 1);
  const busy = sceneWith({
    checks: { verify: () => Promise.reject(new Error('busy')) },
  });
  busy.inbox.receive('a', voteBy(1));
  await turns();
  assert.deepEqual([busy.inbox.dropped, busy.delivered.length], [1, 0]);
  busy.inbox.close();
  busy.inbox.receive('a', voteBy(1));
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

test('what waits has a limit of bytes, whoever sends it, and there is room again once it was handled', async () => {
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
