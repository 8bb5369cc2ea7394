/**
 * Sizes that oxlint does not see: AssemblyScript files and functions, and the README. Generated
 * files are exempt, everything a person reads is not.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { ROOT, repositoryFiles } from './repository.ts';

const FILE_LINES_MAX = 500;
const FUNCTION_LINES_MAX = 70;
const README_LINES_MAX = 150;

export const sizes: Check = {
  name: 'sizes',
  run: async () => {
    const readme = linesOf('README.md').length;
    const problems =
      readme > README_LINES_MAX
        ? [`README.md has ${readme} lines, at most ${README_LINES_MAX}`]
        : [];
    const kernel = repositoryFiles().filter(
      (path) => /\/assembly\/.*\.ts$/.test(path) && !path.includes('/generated/'),
    );
    for (const path of kernel) {
      const lines = linesOf(path);
      if (lines.length > FILE_LINES_MAX)
        problems.push(`${path} has ${lines.length} lines, at most ${FILE_LINES_MAX}`);
      problems.push(...longFunctions(path, lines));
    }
    return problems;
  },
};

function linesOf(path: string): string[] {
  return readFileSync(join(ROOT, path), 'utf8').trimEnd().split('\n');
}

/** A top-level function ends at the first line that is a closing brace alone. */
export function longFunctions(path: string, lines: readonly string[]): string[] {
  const problems: string[] = [];
  let start = -1;
  let name = '';
  lines.forEach((line, index) => {
    const opening = /^(?:export )?(?:@inline )?function (\w+)/.exec(line);
    if (opening !== null && !line.endsWith('}')) {
      start = index;
      name = opening[1] as string;
    }
    if (line !== '}' || start < 0) return;
    const length = index - start + 1;
    if (length > FUNCTION_LINES_MAX)
      problems.push(`${path}: ${name} has ${length} lines, at most ${FUNCTION_LINES_MAX}`);
    start = -1;
  });
  return problems;
}
