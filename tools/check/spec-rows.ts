/**
 * The rows of the specification: `docs/spec-map.md` says what each id means, tests show them by
 * carrying `[ID]` in their names. A row counts as shown only by a test's name, not by a comment.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, repositoryFiles } from './repository.ts';

export interface SpecRow {
  readonly id: string;
  readonly meaning: string;
  readonly where: string;
}

const MAP_ROW = /^- ([A-Z]+-[0-9]{2}): (.*) \((not yet|`[^()]*`)\)$/;
const TEST_NAME = /\b(?:test|it|describe|check)\(\s*(['"`])((?:(?!\1).)*)\1/g;
const ROW_ID = /\[([A-Z]+-[0-9]{2})\]/g;

export function mapRows(): readonly SpecRow[] {
  return readFileSync(join(ROOT, 'docs/spec-map.md'), 'utf8')
    .split('\n')
    .map((line) => MAP_ROW.exec(line))
    .filter((match) => match !== null)
    .map(([, id, meaning, where]) => ({
      id: id as string,
      meaning: meaning as string,
      where: where as string,
    }));
}

/** Row id → files whose tests name it. */
export function shownRows(): ReadonlyMap<string, readonly string[]> {
  const shown = new Map<string, string[]>();
  for (const path of repositoryFiles().filter((file) => /\.test\.ts$|\/test\/.*\.ts$/.test(file))) {
    for (const [, , name] of readFileSync(join(ROOT, path), 'utf8').matchAll(TEST_NAME)) {
      for (const [, id] of (name as string).matchAll(ROW_ID)) {
        const files = shown.get(id as string) ?? [];
        if (!files.includes(path)) files.push(path);
        shown.set(id as string, files);
      }
    }
  }
  return shown;
}
