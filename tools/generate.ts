/**
 * `npm run generate`: writes every generated file. With `-- --check` nothing is written, and the exit code says whether every
 * committed file equals what its generator makes.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatedFiles } from './generate/generated-files.ts';
import { ROOT } from './release/paths.ts';

const onlyCheck = process.argv.includes('--check');
const stale: string[] = [];
for (const { path, text } of generatedFiles()) {
  const file = join(ROOT, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  stale.push(path);
  if (onlyCheck) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
if (onlyCheck && stale.length > 0) {
  process.stderr.write(
    `not what the generator makes: ${stale.join(', ')}; run \`npm run generate\`\n`,
  );
  process.exitCode = 1;
} else {
  process.stdout.write(
    stale.length === 0 ? 'generated files are up to date\n' : `written: ${stale.join(', ')}\n`,
  );
}
