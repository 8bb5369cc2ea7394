import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Command } from 'commander';
import { METHODS, type MethodName } from 'svc-api/rpc';
import { CliError } from 'svc-base/cli';
import type { CommandRow } from './commands/row.ts';
import { examplesOf, mayAsk, needsYes } from './options.ts';
import { buildProgram, COMMANDS } from './program.ts';

/** What the program would run, without running it. */
async function parsed(words: readonly string[]): Promise<{ name: string; options: object }> {
  const program = buildProgram();
  let found: Command | undefined;
  for (const command of program.commands) {
    // Arguments and options come first, the command last.
    command.exitOverride().action((...given: unknown[]) => {
      found = given.at(-1) as Command;
    });
  }
  await program.parseAsync([...words], { from: 'user' });
  return { name: found?.name() ?? '', options: found?.opts() ?? {} };
}

test('every command prints JSON if asked, and has examples that are understood', async () => {
  for (const command of buildProgram().commands) {
    const name = command.name();
    assert.ok(
      command.options.some(({ long }) => long === '--json'),
      `${name} --json`,
    );
    const examples = examplesOf(command);
    assert.ok(examples.length > 0, name);
    for (const example of examples) {
      assert.equal((await parsed(example.split(' '))).name, name, example);
    }
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    assert.ok(help.includes(`  svc-wallet ${examples[0]}\n`), help);
  }
});

test('the unit for systemd starts a daemon that is understood', async () => {
  const unit = readFileSync(
    new URL('../../../../ops/systemd/svc-wallet.service', import.meta.url),
    'utf8',
  );
  const [, words = ''] = /^ExecStart=\S+\/svc-wallet (.+)$/m.exec(unit) ?? [];
  assert.equal((await parsed(words.split(' '))).name, 'daemon');
  assert.match(unit, /^LimitCORE=0$/m);
});

test('with --no-input nobody is asked, and what moves coins has to be told --yes', async () => {
  const terminal = { stdin: { isTTY: true }, stderr: { isTTY: true } };
  const send = ['send', '--to', 'x', '--amount', '1'];
  const plain = (await parsed(send)).options as Record<string, unknown>;
  const silent = (await parsed([...send, '--no-input'])).options as Record<string, unknown>;
  assert.deepEqual([mayAsk(plain, terminal), mayAsk(silent, terminal)], [true, false]);
  assert.equal(needsYes(plain, terminal), true);
  assert.equal(needsYes({ ...silent, yes: true }, terminal), false);
  assert.throws(
    () => needsYes(silent, terminal),
    (error) => error instanceof CliError && error.exitCode === 2 && /--yes/.test(error.hint ?? ''),
  );
});

const commands: [string, CommandRow | string | null][] = Object.entries(COMMANDS);

test('a method has a command that the program knows', () => {
  const known = new Set(buildProgram().commands.map((command) => command.name()));
  for (const [name, command] of commands) {
    if (command === null) continue;
    assert.ok(known.has(typeof command === 'string' ? command : name.replaceAll('_', '-')), name);
  }
});

test('a command asks for what its method requires, and for nothing that the method refuses', () => {
  for (const [name, command] of commands) {
    const contract = METHODS[name as MethodName];
    if (command === null || typeof command === 'string') continue;
    const required: readonly string[] = contract.params.required ?? [];
    for (const { isRequired, kind, param } of command.options) {
      assert.ok(Object.hasOwn(contract.params.properties, param), `${name}: ${param}`);
      // Who is paid comes from options, from a file or from both: neither option alone is required.
      if (kind === 'pairs' || kind === 'recipients') continue;
      assert.equal(isRequired === true, required.includes(param), `${name}: ${param}`);
    }
    const offered: readonly string[] = command.options.map(({ param }) => param);
    const missing = required.filter((param) => param !== 'request_id' && !offered.includes(param));
    assert.deepEqual(missing, [], name);
  }
});
