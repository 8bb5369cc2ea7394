/**
 * `npm run spec`: prints the rows of the specification that no test shows yet.
 * `npm run spec -- --write` refreshes the tests in `docs/spec-map.md`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './check/repository.ts';
import { whereText } from './check/spec-map.ts';
import { mapRows, shownRows } from './check/spec-rows.ts';

const rows = mapRows();
const shown = shownRows();

if (process.argv.includes('--write')) {
  const path = join(ROOT, 'docs/spec-map.md');
  let text = readFileSync(path, 'utf8');
  for (const { id, meaning, where } of rows) {
    text = text.replace(
      `- ${id}: ${meaning} (${where})\n`,
      () => `- ${id}: ${meaning} (${whereText(shown.get(id))})\n`,
    );
  }
  writeFileSync(path, text);
}

const missing = rows.filter(({ id }) => !shown.has(id));
for (const { id, meaning } of missing) process.stdout.write(`${id.padEnd(11)} ${meaning}\n`);
process.stdout.write(
  `${rows.length - missing.length} of ${rows.length} rows are shown by tests, ${missing.length} are not yet\n`,
);
