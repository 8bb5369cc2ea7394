import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { init } from 'svc-wasm';
import type { Work } from '../devices/prospector.ts';
import { jobOf, ScriptedServer, type ScriptedServerOptions } from '../testing/scripted-server.ts';
import { transportOpener } from './open-transport.ts';
import { parseServerUrl } from './server-url.ts';
import { StratumSource } from './stratum-source.ts';
import type { SourceEvent } from './work-source.ts';

await init();

async function serve(t: TestContext, options?: ScriptedServerOptions): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(options);
  t.after(() => server.close());
  return server;
}

/** A source and a way to wait for its events, in their order. */
function start(t: TestContext, urls: readonly string[]) {
  const servers = urls.map(parseServerUrl);
  const options = { servers, agent: 'test', username: 'address.rig' };
  const source = new StratumSource({
    ...options,
    clock: SYSTEM_CLOCK,
    openTransport: transportOpener(),
  });
  t.after(() => source.close());
  const events: SourceEvent[] = [];
  let wake = (): void => {};
  source.events.on((event) => {
    events.push(event);
    wake();
  });
  let from = 0;
  const next = async <T extends SourceEvent['type']>(
    type: T,
    isWanted: (event: SourceEvent & { readonly type: T }) => boolean = () => true,
  ): Promise<SourceEvent & { readonly type: T }> => {
    for (;;) {
      while (from < events.length) {
        const event = events[from++] as SourceEvent & { readonly type: T };
        if (event.type === type && isWanted(event)) return event;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
  };
  source.start();
  return { source, next };
}

const isWork = ({ work }: { readonly work: Work | undefined }): boolean => work !== undefined;

for (const form of ['', '#v2'])
  test(`[STRATUM-03] [STRATUM-04] a job of the server is work with its prefix in the last bytes of the nonce${form}`, async (t) => {
    const server = await serve(t, { prefix: 9 });
    const { source, next } = start(t, [`svc+tcp://127.0.0.1:${server.port}${form}`]);
    const { work, difficulty, anchorHeight } = await next('work', isWork);
    assert.ok(work !== undefined);
    assert.deepEqual(work.header.subarray(308), new Uint8Array(4).fill(9));
    assert.deepEqual(work.header.subarray(288, 308), new Uint8Array(20));
    assert.deepEqual([difficulty, anchorHeight, work.period], [64n, 1, 0]);
    source.submit(work, work.header.slice(288));
    const answer = await next('answer');
    assert.equal(answer.isAccepted, true);
    assert.equal(source.unanswered, 0);
  });

test('a share without an answer is sent again over the next connection, and counted once', async (t) => {
  const seen: string[] = [];
  const server = await serve(t, {
    onSubmit: ({ id, nonce }, client) => {
      seen.push(Buffer.from(nonce).toString('hex'));
      if (seen.length === 1) client.end();
      else client.send({ type: 'refused', id, code: 22, message: 'again' });
    },
  });
  const { source, next } = start(t, [`svc+tcp://127.0.0.1:${server.port}`]);
  const { work } = await next('work', isWork);
  source.submit(work as Work, (work as Work).header.slice(288));
  await next('lost');
  assert.equal(source.unanswered, 1);
  const answer = await next('answer');
  assert.equal(seen.length, 2);
  assert.equal(seen[0], seen[1]);
  assert.equal(server.subscriptions[1]?.resume?.length, 16);
  assert.equal(answer.isAccepted, true);
});

test('servers are tried in their order, and after a loss the first one again', async (t) => {
  const down = await ScriptedServer.start();
  const { port } = down;
  await down.close();
  const backup = await serve(t, { prefix: 5 });
  const urls = [`svc+tcp://127.0.0.1:${port}`, `svc+tcp://127.0.0.1:${backup.port}`];
  const { next } = start(t, urls);
  assert.equal((await next('connecting')).server, urls[0]);
  assert.match((await next('lost')).reason, /ECONNREFUSED/);
  assert.equal((await next('open')).server, urls[1]);
  backup.dropAll();
  const lost = await next('lost');
  assert.equal(lost.server, urls[1]);
  assert.equal((await next('connecting')).server, urls[0]);
});

test('a find for work of another server goes to that server alone', async (t) => {
  const shares: number[] = [];
  const first = await serve(t, { prefix: 1, onSubmit: ({ job }) => void shares.push(job) });
  const second = await serve(t, { prefix: 2, onSubmit: ({ job }) => void shares.push(100 + job) });
  const { source, next } = start(t, [
    `svc+tcp://127.0.0.1:${first.port}`,
    `svc+tcp://127.0.0.1:${second.port}`,
  ]);
  const { work } = await next('work', isWork);
  await first.close();
  await next('open', ({ server }) => server.endsWith(String(second.port)));
  source.submit(work as Work, (work as Work).header.slice(288));
  assert.equal(source.unanswered, 1);
  assert.deepEqual(shares, []);
});

test('a server that sends what is no message is left', async (t) => {
  const server = await serve(t, {
    onSubscribe: (client) => {
      client.send({ type: 'show', text: 'hello' });
      client.send({ type: 'submit', id: 4, job: 1, nonce: new Uint8Array(24) });
    },
  });
  const { next } = start(t, [`svc+tcp://127.0.0.1:${server.port}`]);
  assert.equal((await next('show')).text, 'hello');
  assert.match((await next('lost')).reason, /sent a request/);
});

test('a target that holds at once changes the work; one for later does not', async (t) => {
  const server = await serve(t);
  const { next } = start(t, [`svc+tcp://127.0.0.1:${server.port}`]);
  await next('work', isWork);
  const [client] = server.clients;
  const shareTarget = jobOf(1, 1_024n).shareTarget;
  client?.send({ type: 'setTarget', shareTarget, isNow: true });
  const { work, difficulty } = await next('work', isWork);
  assert.equal(difficulty, 1_024n);
  assert.deepEqual(work?.shareTarget, shareTarget);
  client?.send({ type: 'setTarget', shareTarget: jobOf(1, 9n).shareTarget, isNow: false });
  client?.send(jobOf(2, 32n));
  const later = await next('work', isWork);
  assert.deepEqual([later.difficulty, later.work?.jobId], [32n, '2']);
});

test('addresses of servers are read as they are written, and refused with what was expected', () => {
  const { transport, host, port, protocol } = parseServerUrl('svc+tls://[::1]:28706#v2');
  assert.deepEqual([transport, host, port, protocol], ['tls', '::1', 28706, 'svc-mining-v2']);
  assert.equal(parseServerUrl('wss://pool.example/mine').port, 443);
  for (const [text, words] of [
    ['pool.example:1', /expected svc\+tcp/],
    ['svc+tcp://pool.example', /port is missing/],
    ['http://pool.example', /expected svc\+tcp/],
    ['svc+tcp://me@pool.example:1', /belongs into --user/],
    ['ws://pool.example#v2', /svc-mining-v1 alone/],
    ['svc+tcp://pool.example:1#v3', /expected svc\+tcp/],
  ] as const)
    assert.throws(() => parseServerUrl(text), words, text);
});
