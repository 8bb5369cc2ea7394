import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import {
  encodeMessage,
  height,
  NO_ROUND,
  round,
  type SignatureVerdict,
  type Vote,
  type WireContext,
  type WireMessage,
} from 'svc-consensus/machine';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { bytesFrom, ChainScript } from '../../test/testing/script.ts';
import { ForwardGate, type OverlayApplication } from './forward-gate.ts';
import { Forwarder } from './forwarder.ts';
import type { OverlayLink } from './link.ts';
import { decodeForwarded, encodeForward } from './link-bytes.ts';
import { MemberBudgets } from './member-budgets.ts';
import { targetOf } from './members.ts';
import type { FrameOwner } from './socket-channel.ts';

await init();

const script = new ChainScript({ seed: 'forwarder' });
const WIRE: WireContext = {
  chainId: script.manifest.chainId,
  setIdAt: () => new Uint8Array(48).fill(1),
};
const IDS = ['sender', 'a', 'b', 'c', 'other'].map((name) => toHex(bytesFrom(name, 48)));
const [SENDER, A, B, C, OTHER] = IDS as [string, string, string, string, string];
const TARGETS = [A, B, C];

/** A forwarder between a sender and three others; signatures of sevens hold. */
function scene(budgets?: Pick<MemberBudgets, 'mayPassOn'>, verify?: OverlayApplication['verify']) {
  const clock = new ManualClock();
  const got = new Map(TARGETS.map((id): [string, Uint8Array[]] => [id, []]));
  const checked: Uint8Array[] = [];
  const closed: string[] = [];
  const owners = new Set<FrameOwner>();
  const linkOf = (validatorId: string): OverlayLink => {
    const send = (_: number, payload: Uint8Array, owner: FrameOwner) => {
      owners.add(owner);
      got.get(validatorId)?.push(decodeForwarded(payload).message);
    };
    const close = (error?: Error) => closed.push(String(error?.message));
    return { validatorId, send, close } as unknown as OverlayLink;
  };
  const links = new Map(IDS.map((id) => [id, linkOf(id)]));
  const gate = new ForwardGate(
    {
      wire: WIRE,
      position: () => ({ height: 9, round: 0 }),
      verify: (messages) => {
        checked.push(...messages);
        if (verify !== undefined) return verify(messages);
        return messages.map(
          (message): SignatureVerdict =>
            message.at(-1) === 7 ? { holds: true } : { holds: false, code: 'bad_signature' },
        );
      },
    },
    () => clock.monotonic(),
  );
  const members = { byTarget: (target: string) => IDS.find((id) => targetOf(id) === target) };
  const forwarder = new Forwarder(links, members, gate, budgets ?? new MemberBudgets(clock));
  /** Over a link of its own each time, as if the sender connected again. */
  const pass = (
    message: WireMessage,
    targets: readonly string[] = TARGETS,
    from = SENDER,
  ): Promise<void> => {
    const bytes = encodeMessage(WIRE, message);
    const payload = encodeForward({ targets: targets.map(targetOf), message: bytes });
    return forwarder.passOn(linkOf(from), payload);
  };
  const counts = () => [...got.values()].map(({ length }) => length);
  return { clock, pass, counts, got, checked, closed, owners };
}

function vote(at: number, signature: number, value: Vote['value'] = null): Vote {
  return {
    kind: 'prevote',
    height: height(at),
    round: round(0),
    validRound: NO_ROUND,
    value,
    validatorIndex: 2,
    signature: new Uint8Array(3_309).fill(signature),
  };
}

const VALUE = toHex(bytesFrom('value', 48)) as NonNullable<Vote['value']>;

test('what has no signature is passed on to one target, and signed messages to all', async () => {
  const { pass, counts, closed, owners } = scene();
  const request = { kind: 'cutRequest', height: height(9), value: VALUE } as const;
  await pass(request);
  assert.deepEqual(counts(), [1, 0, 0]);
  await pass({ ...request, height: height(8) }, TARGETS.slice(2));
  assert.deepEqual([counts(), [...owners]], [[1, 0, 1], ['unsigned']]);
  await pass(vote(9, 7));
  assert.deepEqual(
    [counts(), [...owners]],
    [
      [2, 1, 2],
      ['unsigned', 'signed'],
    ],
  );
  assert.deepEqual(closed, []);
});

test('a block of another chain is not passed on, and one of this chain to one target', async () => {
  const { pass, counts, closed } = scene();
  const { header, body } = script.block('forwarded', []);
  await pass({ kind: 'block', header: bytesFrom('noise', header.length), body });
  assert.deepEqual(counts(), [0, 0, 0]);
  await pass({ kind: 'block', header, body });
  assert.deepEqual(counts(), [1, 0, 0]);
  assert.deepEqual(closed, []);
});

test('what a validator has passed on is bounded, however often it connects, and its votes are passed on all the same', async () => {
  const { pass, got, counts, clock } = scene();
  const { header } = script.block('many', []);
  const bytesAt = () => [...got.values()].flat().reduce((sum, { length }) => sum + length, 0);
  let count = 0;
  const flood = async (megabytes: number): Promise<void> => {
    for (let sent = 0; sent < megabytes * 1_048_576; sent += 64_000) {
      const body = new Uint8Array(64_000);
      new DataView(body.buffer).setUint32(0, count++);
      await pass({ kind: 'block', header, body });
    }
  };
  await flood(40);
  assert.ok(bytesAt() > 30 * 1_048_576 && bytesAt() <= 32 * 1_048_576, `${bytesAt()} bytes`);
  const before = bytesAt();
  clock.advance(1_000);
  await flood(8);
  const more = bytesAt() - before;
  assert.ok(more > 3 * 1_048_576 && more <= 5 * 1_048_576, `${more} bytes in a second`);
  const votes = counts();
  await pass(vote(9, 7));
  assert.deepEqual(
    counts().map((now, at) => now - (votes[at] as number)),
    [1, 1, 1],
  );
});

test('what the budget of one validator refuses is passed on when another sends it', async () => {
  const { pass, counts } = scene({ mayPassOn: (id) => id === OTHER });
  await pass(vote(9, 7));
  assert.deepEqual(counts(), [0, 0, 0]);
  await pass(vote(9, 7), TARGETS, OTHER);
  assert.deepEqual(counts(), [1, 1, 1]);
  await pass(vote(9, 7), TARGETS, OTHER);
  assert.deepEqual(counts(), [1, 1, 1], 'once to each target');
});

test('a target that is named twice gets a message once', async () => {
  const { pass, counts } = scene();
  await pass(vote(9, 7), [A, A, B]);
  assert.deepEqual(counts(), [1, 1, 0]);
});

test('two who ask for the same are two requests, and one who asks twice is one', async () => {
  const { pass, counts } = scene();
  const request = { kind: 'cutRequest', height: height(9), value: VALUE } as const;
  for (const from of [SENDER, OTHER, SENDER, OTHER]) await pass(request, [A], from);
  assert.deepEqual(counts(), [2, 0, 0]);
});

test('evidence is checked as other signed messages are, of any height but one to come', async () => {
  const { pass, counts, checked, closed } = scene();
  const evidence = (first: Vote, second: Vote) => ({ kind: 'evidence', first, second }) as const;
  await pass(evidence(vote(20, 7), vote(20, 7, VALUE)));
  assert.deepEqual([counts(), checked.length], [[0, 0, 0], 0], 'a height to come');
  await pass(evidence(vote(3, 7), vote(3, 7, VALUE)));
  assert.deepEqual([counts(), checked.length], [[1, 1, 1], 1]);
  assert.deepEqual(closed, []);
  await pass(evidence(vote(3, 8), vote(3, 8, VALUE)));
  assert.deepEqual([counts(), checked.length], [[1, 1, 1], 2]);
  assert.deepEqual(closed, ['a message to pass on whose signature does not hold']);
});

test('of one validator 256 messages of a kind and height are passed on, in however many rounds', async () => {
  const { pass, counts, checked } = scene();
  for (let value = 0; value < 100; value++)
    for (let at = 0; at < 4; at++) {
      const text = value.toString(16).padStart(96, '0') as NonNullable<Vote['value']>;
      await pass({ ...vote(8, 7, text), round: round(100 * at + value) }, [A]);
    }
  assert.deepEqual([counts(), checked.length], [[256, 0, 0], 256]);
  await pass({ ...vote(8, 7), validatorIndex: 3 }, [A]);
  assert.deepEqual(counts(), [257, 0, 0]);
});

test('those who check are busy: the message is lost and the link stays', async () => {
  const { pass, counts, closed } = scene(undefined, () => Promise.reject(new Error('busy')));
  await pass(vote(9, 7));
  assert.deepEqual([counts(), closed], [[0, 0, 0], []]);
});

test('a signature of a set that is not known here is not passed on, and the link stays', async () => {
  const verdict: SignatureVerdict = { holds: false, code: 'wrong_validator_set' };
  const { pass, counts, closed } = scene(undefined, (messages) => messages.map(() => verdict));
  await pass(vote(9, 7));
  assert.deepEqual([counts(), closed], [[0, 0, 0], []]);
});

test('messages of rounds up to three rounds ahead are passed on', async () => {
  const { pass, counts, checked } = scene();
  for (const at of [3, 4]) await pass({ ...vote(9, 7), round: round(at) });
  assert.deepEqual([counts(), checked.length], [[1, 1, 1], 1]);
});

test('of one neighbour so much is checked at a time, and what another hands over is checked beside it', async () => {
  const waiting: (() => void)[] = [];
  const { pass, counts, checked } = scene(undefined, (messages) => {
    const verdicts = messages.map((): SignatureVerdict => ({ holds: true }));
    return new Promise((resolve) => waiting.push(() => resolve(verdicts)));
  });
  const sent: Promise<void>[] = [];
  for (let count = 0; count < 200; count++) sent.push(pass(vote(9, count + 1)));
  sent.push(pass(vote(9, 201), TARGETS, OTHER));
  await new Promise((resolve) => setImmediate(resolve));
  const votes = Math.floor(262_144 / encodeMessage(WIRE, vote(9, 7)).length);
  assert.equal(checked.length, votes + 1);
  for (const give of waiting.splice(0)) give();
  await Promise.all(sent);
  const before = counts();
  const more = pass(vote(8, 7));
  await new Promise((resolve) => setImmediate(resolve));
  for (const give of waiting.splice(0)) give();
  await more;
  assert.deepEqual(
    counts(),
    before.map((count) => count + 1),
    'there is room again',
  );
});

test('certificates of one place that a neighbour hands over leave those of others their places', async () => {
  const { pass, counts } = scene();
  const certificate = (signature: number): WireMessage => ({
    kind: 'polkaCertificate',
    height: height(9),
    round: round(0),
    value: VALUE,
    validRound: NO_ROUND,
    signers: 1n,
    signatures: [new Uint8Array(3_309).fill(signature).fill(7, -1)],
  });
  for (let count = 0; count < 10; count++) await pass(certificate(count), [A]);
  assert.deepEqual(counts(), [4, 0, 0]);
  await pass(certificate(20), TARGETS, OTHER);
  assert.deepEqual(counts(), [5, 1, 1]);
});
