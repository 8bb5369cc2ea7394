/** Generated files equal what their generators write, and the kernel equals its recorded hash. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { ROOT } from './repository.ts';

const COMMANDS: readonly (readonly string[])[] = [
  ['tools/generate.ts', '--check'],
  ['tools/build.ts', '--check'],
];

export const generatedFiles: Check = {
  name: 'generated files',
  run: async () =>
    COMMANDS.flatMap((command) => {
      const [script] = command;
      if (script === undefined || !existsSync(join(ROOT, script))) return [`${script} is missing`];
      const done = spawnSync(process.execPath, command, { cwd: ROOT, encoding: 'utf8' });
      return done.status === 0 ? [] : [`${command.join(' ')}\n${done.stdout}${done.stderr}`.trim()];
    }),
};
