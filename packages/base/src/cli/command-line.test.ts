import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { EXIT } from './exit-codes.ts';

const MODULE = new URL('index.ts', import.meta.url).href;
const PROGRAM = `
  import { CliError, createProgram, EXIT, executeCommandLine, resultJson } from ${JSON.stringify(MODULE)};
  const buildProgram = () => {
    const program = createProgram({ name: 'demo', description: 'A demo.', release: '1.2.3' });
    program.command('sum').action(() => resultJson({ atoms: 5n }));
    program.command('fail').action(() => {
      throw new CliError(EXIT.unknown, 'no answer', { hint: 'ask again' });
    });
    return program;
  };
  const describeFailure = (error) => ({ message: error.message, hint: error.hint, exitCode: error.exitCode });
  process.exitCode = await executeCommandLine(process.argv.slice(1), {
    shortHelp: 'demo helps', buildProgram, describeFailure,
  });
`;

function demo(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', PROGRAM, '--', ...words],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

test('results go to standard output, and amounts in them are decimal strings', () => {
  assert.deepEqual(demo('sum'), { status: EXIT.ok, stdout: '{\n  "atoms": "5"\n}\n', stderr: '' });
  assert.deepEqual(demo(), { status: EXIT.ok, stdout: 'demo helps\n', stderr: '' });
  assert.deepEqual(demo('--version'), { status: EXIT.ok, stdout: 'demo 1.2.3\n', stderr: '' });
});

test('a failure is reported with its hint on standard error, and by its exit code', () => {
  const ended = demo('fail', '--no-color');
  assert.deepEqual(ended, {
    status: EXIT.unknown,
    stdout: '',
    stderr: 'error: no answer\n  ask again\n',
  });
});

test('words that are no command end with the code for usage', () => {
  const { status, stdout, stderr } = demo('dance');
  assert.deepEqual([status, stdout], [EXIT.usage, '']);
  assert.match(stderr, /`demo --help` lists commands and options/);
});
