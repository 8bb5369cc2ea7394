/** Routes that are put into the application from outside pass the same gate. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpServer, Refused } from 'svc-serve';
import { ServicesFixture } from '../../src/testing/services-fixture.ts';

test('further routes are guarded, read JSON strictly and refuse in the same shape', async (t) => {
  const services = await ServicesFixture.create();
  const options = { host: '127.0.0.1', port: 0, profile: 'node', publicNames: [] } as const;
  const server = await HttpServer.start(
    services,
    { ...options, browserOrigins: [], trustedProxies: [] },
    (app) => {
      app.get('/v1/more', async () => ({ more: true }));
      app.post('/v1/more', async ({ body }) => {
        if ((body as { fail?: boolean }).fail === true) throw new Refused('not_found', 'no');
        return { body };
      });
    },
  );
  t.after(async () => {
    await server.close();
    await services.close();
  });
  const url = `http://127.0.0.1:${server.port}/v1/more`;
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  assert.deepEqual(await (await fetch(url)).json(), { more: true });
  assert.deepEqual(await (await post('{"a":1}')).json(), { body: { a: 1 } });
  assert.equal((await post('{"a":1,"a":2}')).status, 400);
  assert.equal((await post('{}', { 'content-type': 'text/plain' })).status, 415);
  assert.equal((await post('{}', { origin: 'https://evil.example' })).status, 403);
  assert.equal((await fetch(url, { headers: { origin: 'null' } })).status, 403);
  const refused = await post('{"fail":true}');
  assert.equal(refused.status, 404);
  assert.deepEqual(await refused.json(), {
    api_version: 1,
    error: { code: 'not_found', message: 'no' },
  });
});
