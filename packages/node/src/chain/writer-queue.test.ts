import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from 'svc-wasm/base';
import { WriterQueue } from './writer-queue.ts';

test('tasks run one after another; a refusal ends one task, anything else all of them', async () => {
  const fatal: unknown[] = [];
  const queue = new WriterQueue((error) => fatal.push(error));
  const order: string[] = [];
  const slow = queue.enqueue(async () => {
    order.push('slow begins');
    await new Promise((resolve) => setTimeout(resolve, 5));
    order.push('slow ends');
    return 1;
  });
  const quick = queue.enqueue(() => order.push('quick'));
  assert.equal(await slow, 1);
  await quick;
  assert.deepEqual(order, ['slow begins', 'slow ends', 'quick']);

  const refused = () => {
    throw new SvcError('bad_cut', 'no');
  };
  await assert.rejects(queue.enqueue(refused), { code: 'bad_cut' });
  assert.equal(await queue.enqueue(() => 2), 2);

  const broken = () => {
    throw new Error('the disk is gone');
  };
  await assert.rejects(queue.enqueue(broken), /the disk is gone/);
  await assert.rejects(
    queue.enqueue(() => 3),
    /the disk is gone/,
  );
  assert.equal(fatal.length, 1);
  await queue.settled();
});

test('a fault of the module says nothing about the input, and ends all tasks', async () => {
  const fatal: unknown[] = [];
  const queue = new WriterQueue((error) => fatal.push(error));
  const trapped = () => {
    throw new SvcError('kernel_trap', 'the kernel stopped');
  };
  await assert.rejects(queue.enqueue(trapped), { code: 'kernel_trap' });
  await assert.rejects(
    queue.enqueue(() => 1),
    { code: 'kernel_trap' },
  );
  assert.equal(fatal.length, 1);
});

test('a closed queue finishes what it has and takes nothing that a running task asks for', async () => {
  const fatal: unknown[] = [];
  const queue = new WriterQueue((error) => fatal.push(error));
  const done: string[] = [];
  let late: Promise<unknown> | undefined;
  const running = queue.enqueue(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    late = queue.enqueue(() => done.push('late'));
    late.catch(() => {});
    done.push('running');
  });
  await queue.close();
  await running;
  await assert.rejects(late ?? Promise.resolve(), { name: 'QueueClosedError' });
  assert.deepEqual([done, fatal], [['running'], []]);
});
