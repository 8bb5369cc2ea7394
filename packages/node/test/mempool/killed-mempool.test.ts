/**
 * A real process admits real payments on a real disk and is killed at random moments, twenty times, also while
 * it recovers. Whatever it has acknowledged is there when it starts again.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryDirectory } from 'svc-base/testing';
import { bundleChild } from '../../../storage/test/testing/bundle-child.ts';
import { CRASH_SETTING, writeWires } from './testing/crash-payments.ts';
import { createSetting } from './testing/setting.ts';

const CHILD = new URL('testing/submitting-process.ts', import.meta.url).href;
const KILLS = 20;

class Life {
  readonly #child: ChildProcess;
  text = '';
  #isOver = false;

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.text += `stderr ${text}`;
    });
    this.#child.once('exit', () => {
      this.#isOver = true;
    });
  }

  async until(line: RegExp): Promise<void> {
    while (!line.test(this.text)) {
      assert.ok(!this.#isOver, `it ended by itself: ${this.text}`);
      await sleep(1);
    }
  }

  async kill(): Promise<void> {
    assert.ok(!this.#isOver, `it ended by itself: ${this.text}`);
    this.#child.kill('SIGKILL');
    await once(this.#child, 'close');
  }

  /** A line that the kill cut off did not leave whole, and does not count. */
  get #lines(): string[] {
    return this.text.split('\n').slice(0, -1);
  }

  get opened(): string[] | undefined {
    const line = this.#lines.find((text) => text.startsWith('opened '));
    return line?.slice('opened '.length).split(',');
  }

  get accepted(): string[] {
    return this.#lines
      .filter((text) => text.startsWith('accepted '))
      .map((text) => text.slice('accepted '.length));
  }
}

test('killed twenty times, it loses nothing that it has acknowledged', async (t) => {
  const directory = temporaryDirectory(t);
  const { wallet, ...setting } = await createSetting(CRASH_SETTING);
  const wires = Array.from({ length: wallet.coinCount }, (_, index) =>
    wallet.pay({ coins: [wallet.coin(index)] }),
  );
  await setting.chain.close();
  const wireFile = join(directory, 'wires');
  writeFileSync(wireFile, writeWires(wires));
  const program = await bundleChild(CHILD, directory);
  const acknowledged = new Set<string>();
  let killedWhileOpening = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const life = new Life([program, join(directory, 'mempool'), wireFile]);
    const whileOpening = kill % 4 === 3;
    await life.until(whileOpening ? /^opening$/m : /^accepted |^done$/m);
    await sleep(Math.random() * (whileOpening ? 30 : 12));
    await life.kill();
    const { opened } = life;
    if (opened === undefined) killedWhileOpening++;
    else
      for (const id of acknowledged)
        assert.ok(opened.includes(id), `${id} was lost in life ${kill}`);
    for (const id of life.accepted) acknowledged.add(id);
  }
  t.diagnostic(`${acknowledged.size} acknowledged, ${killedWhileOpening} killed while opening`);
  assert.ok(acknowledged.size >= (3 * KILLS) / 4, 'every life that opened accepted something new');
});
