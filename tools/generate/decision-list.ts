/**
 * The list of decisions: the text before its table stays as it is, and the table has a row for each page.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = /^([0-9]{4})-[a-z0-9-]+\.md$/;
const TABLE = '| | |\n|---|---|\n';

export function decisionList(folder: string): string {
  const list = readFileSync(join(folder, 'README.md'), 'utf8');
  const [before] = list.split(TABLE, 1) as [string];
  const rows = readdirSync(folder)
    .filter((name) => PAGE.test(name))
    .sort()
    .map((name) => `| [${name.slice(0, 4)}](${name}) | ${titleOf(join(folder, name))} |\n`);
  return before + TABLE + rows.join('');
}

/** The title after the number of a page. */
function titleOf(path: string): string {
  const [line = ''] = readFileSync(path, 'utf8').split('\n', 1);
  return line.replace(/^# [0-9]{4} /, '');
}
