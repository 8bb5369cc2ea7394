import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINER_ADDRESS, openPoolWeb, sharesOfDay } from '../testing/pool-web.ts';

test('one document is every screen of the page; its script is served under a name with a hash', async (t) => {
  const web = await openPoolWeb();
  t.after(() => web.close());
  const shell = await fetch(`${web.url}/`);
  const text = await shell.text();
  const policy = shell.headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'sha256-/);
  assert.equal(shell.headers.get('cache-control'), 'no-cache');
  const screens = ['/blocks', '/rounds', '/payouts', `/miner/${MINER_ADDRESS}`, '/miner?address=x'];
  for (const path of screens)
    assert.equal(await (await fetch(`${web.url}${path}`)).text(), text, path);
  const [, name = ''] = /src="(\/assets\/[\w-]+\.js)"/.exec(text) ?? [];
  const script = await fetch(`${web.url}${name}`, { headers: { 'accept-encoding': 'gzip' } });
  assert.deepEqual(
    ['cache-control', 'content-encoding', 'content-type'].map((each) => script.headers.get(each)),
    ['public, max-age=31536000, immutable', 'gzip', 'text/javascript; charset=utf-8'],
  );
  for (const path of [
    '/assets/no.js',
    '/assets/..%2fpage.json',
    '/blocks/1/2',
    '/style.css',
    '/no',
  ])
    assert.equal((await fetch(`${web.url}${path}`)).status, 404, path);
});

test('what a miner may write is never part of a document for browsers', async (t) => {
  const web = await openPoolWeb();
  t.after(() => web.close());
  const evil = '<script>alert(1)</script>';
  await web.write(sharesOfDay(web.clock.now(), evil));
  const document = await fetch(`${web.url}/miner/${encodeURIComponent(evil)}`);
  assert.ok(!(await document.text()).includes('alert'));
  const blocks = await fetch(`${web.url}/v1/blocks`);
  assert.equal(blocks.headers.get('content-type'), 'application/json');
  assert.equal(blocks.headers.get('x-content-type-options'), 'nosniff');
  const policy = blocks.headers.get('content-security-policy');
  assert.match(policy ?? '', /^default-src 'none'; form-action 'none'/);
});

test('the statistics say what a page of the pool needs: its terms, how to connect, and an explorer', async (t) => {
  const web = await openPoolWeb('https://node.example.org/ui');
  t.after(() => web.close());
  const { pool } = (await (await fetch(`${web.url}/v1/stats`)).json()) as { pool: object };
  const { name, address, explorer, fee_basis_points, window_blocks, threshold, urls } =
    pool as Record<string, unknown>;
  assert.deepEqual(
    { name, address, explorer, fee_basis_points, window_blocks, threshold, urls },
    {
      name: 'pool',
      address: MINER_ADDRESS,
      explorer: 'https://node.example.org/ui',
      fee_basis_points: '0',
      window_blocks: '1',
      threshold: '1',
      urls: { pplns: ['svc+tcp://127.0.0.1:28781'], solo: [] },
    },
  );
});
