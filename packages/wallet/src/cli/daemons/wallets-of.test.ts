import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { CliError } from 'svc-base/cli';
import { buildProgram } from '../program.ts';
import { SETTINGS, WALLETS_MAX, walletsOf } from './wallets-of.ts';

test('each wallet gets its file, what is common to all, and its own settings', () => {
  const found = walletsOf({
    wallet: ['hot=a', 'cold=b=c'],
    set: ['hot:float=100x50', 'cold:webhook-url=https://shop.example/?a=b', 'hot:accept-state'],
    service: 'http://node.example:1',
    gap: 7,
    quiet: true,
  });
  const common = ['--service=http://node.example:1', '--gap=7', '--quiet'];
  assert.deepEqual(found, [
    { name: 'hot', words: ['--file', resolve('a'), ...common, '--float=100x50', '--accept-state'] },
    {
      name: 'cold',
      words: ['--file', resolve('b=c'), ...common, '--webhook-url=https://shop.example/?a=b'],
    },
  ]);
});

test('names, files and settings that cannot be meant are refused', () => {
  const refused = (message: RegExp, options: object): void =>
    assert.throws(
      () => walletsOf({ ...options }),
      (error) => error instanceof CliError && error.exitCode === 2 && message.test(error.message),
    );
  for (const wallet of ['hot', 'hot=', '=a', 'Hot=a', 'a/b=a', '-a=a', `${'a'.repeat(33)}=a`])
    refused(/--wallet: expected/, { wallet: [wallet] });
  refused(/two wallets are named hot/, { wallet: ['hot=a', 'hot=b'] });
  refused(/has two names/, { wallet: ['hot=a', 'cold=./a'] });
  const many = Array.from({ length: WALLETS_MAX + 1 }, (_, at) => `w${at}=${at}`);
  refused(/at most/, { wallet: many });
  for (const set of ['float=1x1', 'hot:port=1', 'hot:file=b', 'hot:Float=1x1', ':float=1x1'])
    refused(/--set: expected/, { wallet: ['hot=a'], set: [set] });
  refused(/no wallet is named cold/, { wallet: ['hot=a'], set: ['cold:float=1x1'] });
});

test('every setting is an option of the daemon of one wallet', () => {
  const daemon = buildProgram().commands.find((command) => command.name() === 'daemon');
  const known = daemon?.options.map(({ long }) => long) ?? [];
  for (const option of SETTINGS) assert.ok(known.includes(`--${option}`), option);
});
