import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  encodeMessage,
  type Message,
  MessageStream,
  PROTOCOLS,
  type Protocol,
  type ServerEffect,
  type ServerSession,
} from 'svc-mining';
import { fromHex, toHex } from 'svc-wasm/base';
import { Bench } from './bench.ts';
import { addressOf } from './samples.ts';

interface Recorded {
  readonly from: 'miner' | 'server';
  readonly v1: string;
  readonly v2: string;
}

const FILE = new URL('../../../vectors/mining.json', import.meta.url);
const { messages } = JSON.parse(readFileSync(FILE, 'utf8')) as { messages: Recorded[] };

const bytesOf = ({ v1, v2 }: Recorded, protocol: Protocol): Uint8Array =>
  protocol === 'svc-mining-v1' ? new TextEncoder().encode(`${v1}\n`) : fromHex(v2);

function decode(recorded: Recorded, protocol: Protocol): Message {
  const found = [...new MessageStream(protocol).push(bytesOf(recorded, protocol))];
  assert.equal(found.length, 1);
  return found[0] as Message;
}

/** The server's reaction to a message: jobs after authorization, shares checked as the script says. */
function answer(bench: Bench, session: ServerSession, message: Message): Message[] {
  const said: Message[] = [];
  const apply = (effects: readonly ServerEffect[]): void => {
    for (const effect of effects) {
      if (effect.type === 'send') said.push(effect.message);
      if (effect.type === 'authorized') apply(session.offer(bench.job(10), true));
      if (effect.type !== 'check') continue;
      const number = effect.share.nonce[3];
      if (number === 2) apply(session.settle(effect.share, { type: 'low_difficulty' }));
      else if (number === 3)
        apply(session.settle(effect.share, { type: 'accepted', block: 'accepted' }));
      else apply(session.settle(effect.share, { type: 'accepted' }));
    }
  };
  apply(session.receive(message, 0));
  return said;
}

/** The miner's part of the session. */
function script(bench: Bench, session: ServerSession): (() => Message)[] {
  const submit = (id: number, number: number) => (): Message => ({
    type: 'submit',
    id,
    job: 0,
    nonce: bench.nonce(session, number),
  });
  return [
    () => ({ type: 'subscribe', id: 1, agent: 'svc-miner/0.1.0', tag: 'rig (7)' }),
    () => ({ type: 'authorize', id: 2, username: `${addressOf(1)}.rig-7`, password: 'x' }),
    submit(3, 1),
    submit(4, 1),
    submit(5, 2),
    submit(6, 3),
    () => ({ type: 'submit', id: 7, job: 99, nonce: new Uint8Array(24) }),
  ];
}

test('the recorded session is what is spoken today, byte for byte in both forms', () => {
  const bench = new Bench();
  const session = bench.session();
  const spoken: Recorded[] = [];
  const record = (from: Recorded['from'], message: Message): void => {
    const [v1, v2] = PROTOCOLS.map((protocol) => encodeMessage(message, protocol));
    const line = new TextDecoder().decode(v1).trimEnd();
    spoken.push({ from, v1: line, v2: toHex(v2 as Uint8Array) });
  };
  for (const say of script(bench, session)) {
    const message = say();
    record('miner', message);
    for (const reply of answer(bench, session, message)) record('server', reply);
  }
  assert.deepEqual(spoken, messages);
});

test('[VER-04] the recorded session has the same results as svc-mining-v1 and as svc-mining-v2', () => {
  for (const protocol of PROTOCOLS) {
    const bench = new Bench();
    const session = bench.session();
    const replies = messages
      .filter(({ from }) => from === 'miner')
      .flatMap((recorded) => answer(bench, session, decode(recorded, protocol)));
    const expected = messages
      .filter(({ from }) => from === 'server')
      .map((recorded) => decode(recorded, protocol));
    assert.deepEqual(replies, expected, protocol);
  }
});
