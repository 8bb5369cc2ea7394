/**
 * Calls as they come over a connection: whole, in pieces, and several at once.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { startDaemon, type TestDaemon } from './testing/daemon.ts';

/** Nobody listens there: the daemon answers without its node. */
const NOWHERE = 'http://127.0.0.1:1';
const STATUS = { jsonrpc: '2.0', id: 1, method: 'status', params: {} };

async function start(t: TestContext): Promise<TestDaemon> {
  await init();
  const daemon = await startDaemon({ directory: temporaryDirectory(t), service: NOWHERE });
  t.after(() => daemon.close());
  return daemon;
}

/** Writes pieces to a connection, each after a moment, and returns so many answers. */
async function exchange(
  { url }: TestDaemon,
  pieces: readonly string[],
  count: number,
): Promise<string[]> {
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  const answers: string[] = [];
  let received = Buffer.alloc(0);
  const done = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.on('data', (some: Buffer) => {
      received = Buffer.concat([received, some]);
      for (
        let answer = firstAnswer(received);
        answer !== undefined;
        answer = firstAnswer(received)
      ) {
        answers.push(answer.toString());
        received = received.subarray(answer.length);
      }
      if (answers.length === count) socket.end();
    });
  });
  for (const piece of pieces) {
    socket.write(piece);
    await sleep(20);
  }
  await done;
  return answers;
}

/** The bytes of the first answer, head and body, once they are all there. */
function firstAnswer(bytes: Buffer): Buffer | undefined {
  const bodyAt = bytes.indexOf('\r\n\r\n') + 4;
  const length = /content-length: (\d+)/i.exec(bytes.toString('latin1', 0, bodyAt))?.[1];
  const end = bodyAt + Number(length ?? 0);
  return bodyAt < 4 || bytes.length < end ? undefined : bytes.subarray(0, end);
}

test('a call is answered the same, in however many pieces it comes', async (t) => {
  const daemon = await start(t);
  const { host } = new URL(daemon.url);
  const bodies = [{ ...STATUS, id: 'ä', method: 'none' }, []].map((body) => JSON.stringify(body));
  const head = (body: string): string =>
    [
      'POST /v1/rpc HTTP/1.1',
      `host: ${host}`,
      'content-type: application/json',
      `authorization: Bearer ${daemon.token}`,
      `content-length: ${Buffer.byteLength(body)}`,
    ].join('\r\n');
  for (const body of bodies) {
    const whole = `${head(body)}\r\n\r\n${body}`;
    const ways = {
      whole: [whole],
      'whole, twice': [whole, whole],
      'head and body': [`${head(body)}\r\n\r\n`, body],
      'cut in the head': [whole.slice(0, 60), whole.slice(60)],
      'two at once': [`${whole}${whole}`],
      'whole, then in pieces': [whole, whole.slice(0, 60), whole.slice(60)],
    };
    const answers = new Set<string>();
    for (const [way, pieces] of Object.entries(ways)) {
      const count = Buffer.from(pieces.join('')).length / Buffer.from(whole).length;
      const texts = await exchange(daemon, pieces, count);
      assert.equal(texts.length, count, way);
      for (const text of texts) answers.add(text.replace(/Date: [^\r]*/, 'Date'));
    }
    assert.equal(answers.size, 1, [...answers].join('\n'));
    assert.match([...answers][0] ?? '', /^HTTP\/1\.1 200 OK\r\n/);
  }
});

test('a connection has its token looked at with every call', async (t) => {
  const daemon = await start(t);
  const { host } = new URL(daemon.url);
  const call = (token: string): string =>
    `POST /v1/rpc HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: 2\r\n\r\n[]`;
  const wrong = [...daemon.token].toReversed().join('');
  const [right, refused] = await exchange(daemon, [call(daemon.token), call(wrong)], 2);
  assert.match(right ?? '', /^HTTP\/1\.1 200 /);
  assert.match(refused ?? '', /^HTTP\/1\.1 401 /);
});
