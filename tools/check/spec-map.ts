/** `docs/spec-map.md` is complete and true: no unknown ids in tests, and it names the right files. */
import type { Check } from './check.ts';
import { mapRows, shownRows } from './spec-rows.ts';

const ROWS_TOTAL = 320;

export const specMap: Check = {
  name: 'specification map',
  run: async () => {
    const rows = mapRows();
    const known = new Set(rows.map(({ id }) => id));
    const shown = shownRows();
    const problems: string[] = [];
    if (known.size !== ROWS_TOTAL || rows.length !== ROWS_TOTAL) {
      problems.push(
        `docs/spec-map.md lists ${rows.length} rows (${known.size} ids), expected ${ROWS_TOTAL}`,
      );
    }
    for (const id of shown.keys()) {
      if (!known.has(id)) problems.push(`a test names ${id}, which docs/spec-map.md does not have`);
    }
    for (const { id, where } of rows) {
      const expected = whereText(shown.get(id));
      if (where !== expected)
        problems.push(
          `${id}: the map says "${where}", the tests say "${expected}"; run npm run spec -- --write`,
        );
    }
    return problems;
  },
};

export function whereText(files: readonly string[] | undefined): string {
  return files === undefined
    ? 'not yet'
    : [...files]
        .sort()
        .map((file) => `\`${file}\``)
        .join(', ');
}
