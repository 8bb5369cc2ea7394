/**
 * `npm run check`: everything about the code that can be checked without running it. Each check is a
 * file in `tools/check` and answers with a list of problems; an empty list is a pass.
 */
import { styleText } from 'node:util';
import { barrels } from './check/barrels.ts';
import type { Check } from './check/check.ts';
import { cycles } from './check/cycles.ts';
import { documents } from './check/documents.ts';
import { engineReads } from './check/engine-reads.ts';
import { generatedFiles } from './check/generated-files.ts';
import { layers } from './check/layers.ts';
import { licences } from './check/licences.ts';
import { biome, oxlint, types } from './check/linters.ts';
import { programFiles } from './check/program-files.ts';
import { sizes } from './check/sizes.ts';
import { specMap } from './check/spec-map.ts';
import { testHooks } from './check/test-hooks.ts';
import { unused } from './check/unused.ts';

const checks: readonly Check[] = [
  types,
  biome,
  oxlint,
  layers,
  cycles,
  unused,
  barrels,
  engineReads,
  testHooks,
  programFiles,
  sizes,
  licences,
  generatedFiles,
  documents,
  specMap,
];

const results = await Promise.all(
  checks.map(async (check) => ({ name: check.name, problems: await check.run() })),
);
for (const { name, problems } of results) {
  const mark = problems.length === 0 ? styleText('green', 'ok  ') : styleText('red', 'FAIL');
  process.stdout.write(`${mark} ${name}\n`);
  for (const problem of problems)
    process.stdout.write(`     ${problem.replaceAll('\n', '\n     ')}\n`);
}
const failed = results.filter(({ problems }) => problems.length > 0).length;
process.stdout.write(
  failed === 0 ? 'all checks hold\n' : `${failed} of ${results.length} checks failed\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
