import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINER_ADDRESS, openPoolWeb, sharesOfDay } from '../testing/pool-web.ts';

interface History {
  readonly step_seconds: number;
  readonly steps: readonly {
    readonly from_millis: number;
    readonly hashrate: number;
    readonly blocks: number;
    readonly expected_blocks: number;
  }[];
}

test('the history of a day is listed step by step, of all miners and of one', async (t) => {
  const web = await openPoolWeb();
  t.after(() => web.close());
  const text = async (path: string) => (await fetch(`${web.url}${path}`)).text();
  assert.equal((await fetch(`${web.url}/v1/miners/${MINER_ADDRESS}/history`)).status, 404);
  const now = web.clock.now();
  await web.write(sharesOfDay(now));

  const read = async (path: string) => JSON.parse(await text(path)) as History;
  const { step_seconds: seconds, steps } = await read('/v1/history');
  assert.deepEqual([seconds, steps.length], [600, 144]);
  assert.deepEqual(steps[0], {
    from_millis: now - 86_400_000,
    hashrate: 1_000,
    blocks: 1,
    expected_blocks: 600_000 / 57_600_000,
  });
  assert.deepEqual(await read(`/v1/miners/${MINER_ADDRESS.toUpperCase()}/history`), {
    api_version: 1,
    step_seconds: 600,
    steps,
  });
  assert.deepEqual((await read('/v1/history?limit=2')).steps, steps.slice(-2));
  for (const wrong of ['0', '145', '-1', 'x', '99999', '', '2.5', '02', '2&limit=3']) {
    const answer = await fetch(`${web.url}/v1/history?limit=${wrong}`);
    const error = { code: 'bad_integer', message: 'expected a whole number from 1 to 144' };
    assert.deepEqual(
      [answer.status, await answer.json()],
      [400, { api_version: 1, error: { ...error, path: 'limit' } }],
      wrong,
    );
  }
  assert.equal((await fetch(`${web.url}/v1/rounds?before=soon`)).status, 400);
});
