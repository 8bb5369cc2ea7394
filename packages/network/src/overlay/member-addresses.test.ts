import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import type { Route } from './endpoint.ts';
import { MemberAddresses } from './member-addresses.ts';

const route = (host: string): Route => ({ host, port: 1, tcp: true, quic: false });

test('members are known by the text of their routes, by what names stand for, and by where they came from', async () => {
  const clock = new ManualClock();
  const routes = new Map([
    ['literal', [route('8.8.8.8')]],
    ['named', [route('named.example'), route('gone.example')]],
    ['linked', [route('linked.example')]],
    ['unrouted', []],
  ]);
  const names: Record<string, string[]> = {
    'named.example': ['9.9.9.1', '9.9.9.2'],
    'linked.example': ['9.9.8.1'],
  };
  const asked: string[] = [];
  const addresses = new MemberAddresses({
    members: {
      get ids() {
        return [...routes.keys()];
      },
      has: (id) => routes.has(id),
      routesOf: (id) => routes.get(id) ?? [],
    },
    isLinked: (id) => id === 'linked',
    findHosts: async ({ host }) => {
      asked.push(host);
      const found = names[host];
      if (found === undefined) throw new Error('no such name');
      return found;
    },
    clock,
  });
  const pass = async (millis: number): Promise<void> => {
    for (let at = 0; at < millis; at += 500) {
      clock.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  addresses.start();
  assert.ok(addresses.has('8.8.8.8'));
  assert.equal(addresses.has('9.9.9.2'), false);
  await pass(5_000);
  assert.ok(addresses.has('9.9.9.1') && addresses.has('9.9.9.2'));
  assert.deepEqual(asked, ['named.example', 'gone.example'], 'once, and no member with a link');
  addresses.proven('unrouted', '7.7.7.7');
  assert.ok(addresses.has('7.7.7.7'));
  addresses.proven('unrouted', '7.7.7.8');
  assert.equal(addresses.has('7.7.7.7'), false, 'it was elsewhere last');
  names['named.example'] = ['9.9.9.3'];
  await pass(60_000);
  assert.ok(addresses.has('9.9.9.3') && !addresses.has('9.9.9.1'), 'looked up again');
  delete names['named.example'];
  await pass(60_000);
  assert.ok(addresses.has('9.9.9.3'), 'kept while nothing is found');
  routes.delete('unrouted');
  assert.equal(addresses.has('7.7.7.8'), false, 'no member any more');
  addresses.close();
  await pass(1_000);
  assert.equal(clock.pending, 0);
});
