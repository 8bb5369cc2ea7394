/** `npm run format`: lets Biome rewrite what it can. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './check/repository.ts';

const done = spawnSync(join(ROOT, 'node_modules', '.bin', 'biome'), ['check', '--write', '.'], {
  cwd: ROOT,
  stdio: 'inherit',
});
process.exitCode = done.status ?? 1;
