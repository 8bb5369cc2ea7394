/**
 * The pages about development networks: their commands work, and the reference knows every action and limit.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { TObject } from 'typebox';
import { ACTIONS } from '../../src/dev/control.ts';
import { callNetwork } from './kit.ts';

const run = promisify(execFile);

function page(name: string): string {
  return readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
}

function commandsOf(text: string, start: string): string[] {
  const blocks = text.split('```').filter((_, index) => index % 2 === 1);
  return blocks.flatMap((block) => block.split('\n')).filter((line) => line.startsWith(start));
}

test('every call of the guide is answered', async (t) => {
  const hasCurl = await run('curl', ['--version']).catch(() => undefined);
  if (hasCurl === undefined) return t.skip('passed over: no curl on this machine');
  const caller = await callNetwork(t, { cutTime: 'manual', validators: 1, miner: false });
  const calls = commandsOf(page('start/dev-network.md'), 'curl ');
  assert.ok(calls.length >= 10);
  for (const call of calls) {
    const command = call.replace('127.0.0.1:28701', new URL(caller.base).host);
    const { stdout } = await run('sh', ['-c', command]);
    const answer = JSON.parse(stdout) as { api_version: number; error?: object; starts?: number };
    assert.equal(answer.error, undefined, `${call}: ${stdout}`);
    assert.equal(answer.api_version, 1, call);
    if (answer.starts !== undefined) await caller.backAt(answer.starts);
  }
});

test('the reference has every action, its fields, their limits and what it does', () => {
  const rows = new Map(
    page('reference/dev-control.md')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter((cells) => cells.length === 6)
      .map(([, name = '', fields = '', about = '']) => [name, { fields, about }]),
  );
  for (const { name, fields, body, summary } of ACTIONS) {
    const row = rows.get(`\`${name}\``);
    assert.ok(row !== undefined, name);
    assert.ok(row.about.startsWith(summary), `${name}: ${summary}`);
    const named = [...row.fields.matchAll(/`([a-z_]+)`/g)].map(([, field]) => field);
    assert.deepEqual(named, Object.keys(fields), name);
    for (const [field, { minimum, maximum }] of limitsOf(body)) {
      const limits = `\`${field}\`, ${minimum} to ${maximum.toLocaleString('en')}`;
      assert.ok(row.fields.includes(limits), `${name}: ${limits}`);
    }
  }
});

function limitsOf({ properties }: TObject): [string, { minimum: number; maximum: number }][] {
  return Object.entries(properties).flatMap(([field, schema]) => {
    const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
    return minimum === undefined || maximum === undefined ? [] : [[field, { minimum, maximum }]];
  });
}
