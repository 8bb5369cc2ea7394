import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { composeFile, unitFile } from './new-network.ts';

const UNITS = new URL('../../../../../ops/systemd/', import.meta.url);
const UNIT = 'svc-tried.service';
const INSTALLED = /\/opt\/svc\/node_modules\/\.bin\/svc[a-z-]*/g;
const isThere = spawnSync('systemd-analyze', ['--version']).status === 0;
const skip = isThere ? false : 'systemd-analyze is not installed: passed over';

/** What systemd has against a unit, not those of the machine; the program of the unit counts as installed. */
function complaintsAbout(text: string): string[] {
  const directory = temporaryDirectory();
  try {
    const file = join(directory, UNIT);
    writeFileSync(file, text.replaceAll(INSTALLED, process.execPath));
    const words = ['verify', '--man=no', file];
    const { stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
    return stderr.split('\n').filter((line) => line.includes(UNIT));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test('systemd understands the unit of a new network and those that are shipped', { skip }, () => {
  assert.deepEqual(complaintsAbout(unitFile('validator-1')), []);
  const shipped = readdirSync(UNITS).filter((name) => name.endsWith('.service'));
  assert.ok(shipped.length >= 6);
  for (const name of shipped) {
    assert.deepEqual(complaintsAbout(readFileSync(new URL(name, UNITS), 'utf8')), [], name);
  }
  const wrong = unitFile('validator-1').replace('KillMode=mixed', 'KilMode=mixed');
  assert.match(complaintsAbout(wrong).join('\n'), /KilMode/, 'a mistake is seen');
});

test('a container of a new network runs the command of its unit, in the folder of its validator', () => {
  const [, ...words] = /^ExecStart=(.*)$/m.exec(unitFile('validator-1'))?.[1]?.split(' ') ?? [];
  const text = composeFile(['validator-1', 'validator-2']);
  const commands = [...text.matchAll(/^ {4}command: (\[.*\])$/gm)].map(([, list]) =>
    JSON.parse(list as string),
  );
  assert.deepEqual(commands, [
    ['svcd', ...words],
    ['svcd', ...words],
  ]);
  const volumes = [...text.matchAll(/^ {4}volumes: (\[.*\])$/gm)].map(([, list]) =>
    JSON.parse(list as string),
  );
  assert.deepEqual(volumes, [['./validator-1:/data'], ['./validator-2:/data']]);
  assert.equal(text.match(/^ {4}working_dir: \/data$/gm)?.length, 2);
});
