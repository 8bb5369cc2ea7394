import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Log, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory, until } from 'svc-base/testing';
import { WalletProcess } from './wallet-process.ts';

/** In the place of a daemon: says where it listens, then `told` at a first signal, and fails at a second. */
async function started(t: TestContext, told: string): Promise<[WalletProcess, string[]]> {
  const directory = temporaryDirectory(t);
  const program = join(directory, 'program.mjs');
  writeFileSync(
    program,
    `let signals = 0;
    process.on('SIGTERM', () => {
      if (++signals > 1) process.exit(1);
      ${told === '' ? 'process.exit(1);' : `console.log('${told}');`}
    });
    process.stdin.on('end', () => process.exit(0)).resume();
    console.log(JSON.stringify({ url: 'http://127.0.0.1:7', token_file: 'token', pid: process.pid }));`,
  );
  const [, own = ''] = process.argv;
  process.argv[1] = program;
  t.after(() => {
    process.argv[1] = own;
  });
  const errors: string[] = [];
  const log: Log = { ...SILENT_LOG, error: (_, message) => void errors.push(message) };
  const socketPath = join(directory, 'socket');
  const ports = { log, clock: SYSTEM_CLOCK, writeLine: () => {} };
  const wallet = new WalletProcess({ name: 'hot', words: [], socketPath }, ports);
  t.after(() => wallet.close());
  assert.equal(await wallet.start(), undefined);
  assert.deepEqual(wallet.door, { socketPath, host: '127.0.0.1:7' });
  return [wallet, errors];
}

test('a daemon that says that it stops is not spoken to any more, and stays stopped however it ends', async (t) => {
  const [wallet, errors] = await started(t, '{"stopping":true}');
  const pid = wallet.facts?.pid ?? 0;
  process.kill(pid, 'SIGTERM');
  await until(() => wallet.door === null, 'it has said so');
  assert.deepEqual(errors, [], 'its process goes on');
  process.kill(pid, 'SIGTERM');
  await until(() => errors.length > 0, 'it has ended');
  assert.match(errors.join(), /stays so until SIGHUP/);
});

test('a daemon that ends without a word starts again', async (t) => {
  const [wallet, errors] = await started(t, '');
  const pid = wallet.facts?.pid ?? 0;
  process.kill(pid, 'SIGTERM');
  await until(() => errors.length > 0, 'it has ended');
  assert.match(errors.join(), /starts again/);
  await until(() => ![undefined, pid].includes(wallet.facts?.pid), 'it is there again');
});
