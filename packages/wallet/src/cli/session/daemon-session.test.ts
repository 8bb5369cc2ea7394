/** Programs that listen where a daemon used to. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type CliError, EXIT } from 'svc-base/cli';
import { temporaryDirectory } from 'svc-base/testing';
import type { Refusal } from '../../daemon/access.ts';
import { BUSY, refusalText, TOO_MANY_GUESSES, UNAUTHORIZED } from '../../daemon/listener.ts';
import { ensureToken, proveToken } from '../../file/token.ts';
import { DaemonSession, WHICH_TOKEN } from './daemon-session.ts';

interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

async function listenAt(t: TestContext, port: number, answer: RequestListener): Promise<Listening> {
  const server = createServer(answer);
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  t.after(close);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function listen(t: TestContext, answer: RequestListener): Promise<string> {
  return (await listenAt(t, 0, answer)).url;
}

/** Shows that it has the token where it is asked to, and answers calls as told. */
function knowing(token: string, answer: RequestListener): RequestListener {
  return (request, response) => {
    const { headers, method, url = '' } = request;
    if (method !== 'GET') return answer(request, response);
    const proof = proveToken(token, url.split('/').at(-1) ?? '', headers.host ?? '');
    response.end(JSON.stringify({ proofs: [proof] }));
  };
}

/** The session with whoever listens there, which ends with the test. */
async function find(t: TestContext, url: string, tokenFile: string): Promise<DaemonSession> {
  const session = await DaemonSession.find(url, tokenFile);
  assert.ok(session);
  t.after(() => session.close());
  return session;
}

test('a program that does not have the token is never sent it', async (t) => {
  const tokenFile = join(temporaryDirectory(t), 'token');
  const token = ensureToken(tokenFile);
  const answers: Record<string, (nonce: string, port: number) => string> = {
    'as every server says': () => 'ok',
    'an invented proof': () => JSON.stringify({ proofs: ['ab'.repeat(32)] }),
    'the proof of another token': (nonce, port) =>
      JSON.stringify({ proofs: [proveToken('cd'.repeat(32), nonce, `127.0.0.1:${port}`)] }),
    'the proof of a daemon at another port': (nonce, port) =>
      JSON.stringify({ proofs: [proveToken(token, nonce, `127.0.0.1:${port + 1}`)] }),
    'the proof of a daemon at another address': (nonce, port) =>
      JSON.stringify({ proofs: [proveToken(token, nonce, `127.0.0.2:${port}`)] }),
    'words without end': () => 'x'.repeat(1 << 20),
  };
  for (const [what, answer] of Object.entries(answers)) {
    const heard: string[] = [];
    const url = await listen(t, (request, response) => {
      heard.push(`${request.url} ${JSON.stringify(request.headers)}`);
      const nonce = request.url?.split('/').at(-1) ?? '';
      response.end(answer(nonce, request.socket.localPort as number));
    });
    await assert.rejects(DaemonSession.find(url, tokenFile), /is not the daemon/, what);
    assert.equal(heard.length, 1);
    assert.doesNotMatch(heard.join(), new RegExp(token), what);
  }
  const url = await listen(
    t,
    knowing(token, () => {}),
  );
  await find(t, url, tokenFile);
  assert.equal(await DaemonSession.find('http://127.0.0.1:1', tokenFile), undefined);
});

test('a daemon that listens and does not answer in time is not taken for one that is gone', async (t) => {
  const tokenFile = join(temporaryDirectory(t), 'token');
  ensureToken(tokenFile);
  const url = await listen(t, () => {});
  await assert.rejects(DaemonSession.find(url, tokenFile, undefined, 50), {
    message: `the daemon at ${url} did not answer`,
    hint: 'try again',
  });
});

test('a program that takes the port later is not sent the token, and its answers are not believed', async (t) => {
  const tokenFile = join(temporaryDirectory(t), 'token');
  const token = ensureToken(tokenFile);
  const answer = { jsonrpc: '2.0', id: 1, result: { state: 'open' } };
  const daemon = await listenAt(
    t,
    0,
    knowing(token, (_, response) => response.end(JSON.stringify(answer))),
  );
  const session = await find(t, daemon.url, tokenFile);
  const look = (): Promise<unknown> => session.call('transaction', { transaction: 'aa' });
  assert.deepEqual(await look(), answer.result);
  await daemon.close();
  await assert.rejects(look(), { exitCode: EXIT.unreachable });
  const heard: string[] = [];
  await listenAt(t, Number(new URL(daemon.url).port), ({ headers, url }, response) => {
    heard.push(`${url} ${JSON.stringify(headers)}`);
    response.end(JSON.stringify({ ...answer, result: { state: 'final', outcome: 'finalized' } }));
  });
  await assert.rejects(look(), /is not the daemon of this wallet/);
  assert.equal(heard.length, 1);
  assert.doesNotMatch(heard.join(), new RegExp(token));
});

test('a token goes over connections that were proven, and over no other', async (t) => {
  const tokenFile = join(temporaryDirectory(t), 'token');
  const token = ensureToken(tokenFile);
  const proven = new WeakSet<object>();
  const calls: boolean[] = [];
  const prove = knowing(token, ({ socket }, response) => {
    calls.push(proven.has(socket));
    // The next call finds this connection closed.
    response.setHeader('connection', 'close').end('{"jsonrpc":"2.0","id":1,"result":{}}');
  });
  const url = await listen(t, (request, response) => {
    if (request.method === 'GET') proven.add(request.socket);
    prove(request, response);
  });
  const session = await find(t, url, tokenFile);
  for (let i = 0; i < 3; i++) await session.call('status', {});
  assert.deepEqual(calls, [true, true, true]);
});

test('what a refusal means for a payment is told by what happened to it', async (t) => {
  const tokenFile = join(temporaryDirectory(t), 'token');
  const token = ensureToken(tokenFile);
  const params = { to: 'x', amount: '1', request_id: 'a' };
  const said = async (refusal: Refusal, method: 'send' | 'status', more: object = {}) => {
    const url = await listen(
      t,
      knowing(token, (_, response) => {
        response
          .writeHead(refusal.status, { 'content-type': 'application/json' })
          .end(refusalText(refusal));
      }),
    );
    const session = await find(t, url, tokenFile);
    const call =
      method === 'send' ? session.call('send', { ...params, ...more }) : session.call('status', {});
    let error: CliError | undefined;
    await assert.rejects(call, (reason) => {
      error = reason as CliError;
      return true;
    });
    assert.ok(error);
    assert.match(error.message, new RegExp(`answered ${refusal.status}: ${refusal.message}`));
    return [error.exitCode, error.hint];
  };
  const same = 'repeat with the same --request-id, and with no other';
  assert.deepEqual(await said(BUSY, 'send'), [EXIT.unreachable, BUSY.hint]);
  assert.deepEqual(await said(BUSY, 'status'), [EXIT.unreachable, BUSY.hint]);
  const failed = { status: 500, code: 'internal_error', message: 'the daemon failed' };
  assert.deepEqual(await said(failed, 'send'), [EXIT.unknown, same]);
  assert.deepEqual(await said(failed, 'status'), [EXIT.failed, 'look at the log of the daemon']);
  for (const refusal of [UNAUTHORIZED, TOO_MANY_GUESSES]) {
    const [exitCode, hint] = await said(refusal, 'send');
    assert.equal(exitCode, EXIT.unknown, 'an earlier call of the name may have paid');
    assert.match(hint as string, /--token-file, and repeat with the same --request-id/);
    assert.deepEqual(await said(refusal, 'send', { dry_run: true }), [EXIT.refused, WHICH_TOKEN]);
    assert.deepEqual(await said(refusal, 'status'), [EXIT.refused, WHICH_TOKEN]);
  }
  const tooLarge = { status: 413, code: 'body_too_large', message: 'too large' };
  assert.deepEqual(await said(tooLarge, 'send'), [EXIT.refused, undefined]);
});
