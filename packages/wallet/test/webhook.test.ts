/** The webhook and the metrics of a daemon as its options open them. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { temporaryDirectory, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { signatureOf } from '../src/daemon/webhook.ts';
import { webhookSecretPath } from '../src/file/token.ts';
import { startDaemon } from './testing/daemon.ts';

const NOWHERE = 'http://127.0.0.1:1';

await init();

test('a daemon sends its events to the webhook, signed with the secret beside the wallet file', async (t) => {
  const heard: { body: string; signature: string; timestamp: string }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const header = (name: string): string => String(request.headers[`x-svc-webhook-${name}`]);
      const body = Buffer.concat(parts).toString('utf8');
      heard.push({ body, signature: header('signature'), timestamp: header('timestamp') });
      response.end();
    });
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const directory = temporaryDirectory(t);
  const daemon = await startDaemon({ directory, service: NOWHERE, webhookUrl });
  t.after(() => daemon.close());
  const { events, state } = daemon.running.wallet;
  events.emit(state.events.add('settled', 7, { request_id: 'a' }));
  await until(() => heard.length > 0, 'the event');
  const { body, signature, timestamp } = heard[0] ?? { body: '', signature: '', timestamp: '' };
  const path = webhookSecretPath(daemon.file);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(signature, signatureOf(readFileSync(path, 'utf8').trim(), timestamp, body));
  const data = { request_id: 'a' };
  assert.deepEqual(JSON.parse(body), { api_version: 1, sequence: 1, event: 'settled', data });
});

test('a daemon that cannot open all its parts leaves none open', async (t) => {
  const directory = temporaryDirectory(t);
  const daemon = await startDaemon({ directory, service: NOWHERE });
  const port = Number(new URL(daemon.url).port);
  const other = { directory: temporaryDirectory(t), service: NOWHERE };
  const taken = { host: '127.0.0.1', port };
  await assert.rejects(startDaemon({ ...other, metricsBind: taken }), { code: 'EADDRINUSE' });
  const webhookUrl = 'http://shop.example/';
  await assert.rejects(startDaemon({ ...other, isNew: false, webhookUrl }), { name: 'UsageError' });
  await daemon.close();
  const again = await startDaemon({ ...other, isNew: false, metricsBind: { ...taken, port: 0 } });
  await again.close();
});
