/** Programs that listen where a daemon used to. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { ensureToken } from '../../file/token.ts';
import { proveToken } from '../../file/token-proof.ts';
import { DaemonSession } from './daemon-session.ts';

async function listen(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a program that does not have the token is never sent it', async (t) => {
  const tokenFile = join(temporaryDirectory(t), 'token');
  const token = ensureToken(tokenFile);
  const answers: Record<string, (nonce: string, port: number) => string> = {
    'as every server says': () => 'ok',
    'an invented proof': () => JSON.stringify({ proofs: ['ab'.repeat(32)] }),
    'the proof of another token': (nonce, port) =>
      JSON.stringify({ proofs: [proveToken('cd'.repeat(32), nonce, port)] }),
    'the proof of a daemon at another port': (nonce, port) =>
      JSON.stringify({ proofs: [proveToken(token, nonce, port + 1)] }),
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
  const url = await listen(t, (request, response) => {
    const nonce = request.url?.split('/').at(-1) ?? '';
    const proof = proveToken(token, nonce, request.socket.localPort as number);
    response.end(JSON.stringify({ proofs: [proof] }));
  });
  assert.equal((await DaemonSession.find(url, tokenFile))?.daemon, url);
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
