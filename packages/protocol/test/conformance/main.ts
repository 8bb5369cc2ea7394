/**
 * Compares all 65,536 cases of each type with the frozen hashes.
 *
 * Usage: node tools/bootstrap.mjs packages/protocol/test/conformance/main.ts [--type name] [--freeze]
 *
 * `--freeze` writes new hashes instead. It changes the protocol's encoding on purpose: never use it
 * to make a failing comparison pass.
 */
import { parseArgs } from 'node:util';
import { CODECS } from '../generate/codecs.ts';
import type { ConformanceHashes } from './conformance.ts';
import { ALL_CASES, conformanceHashes, FEW_CASES } from './conformance.ts';
import { readFrozen, writeFrozen } from './frozen.ts';

const { values } = parseArgs({
  options: { type: { type: 'string' }, freeze: { type: 'boolean', default: false } },
});

const codecs = CODECS.filter(({ name }) => values.type === undefined || values.type === name);
if (codecs.length === 0) {
  process.stderr.write(`no such type; there are ${CODECS.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}

const found: Record<string, ConformanceHashes> = {};
for (const codec of codecs) {
  const start = performance.now();
  found[codec.name] = conformanceHashes(codec, [FEW_CASES, ALL_CASES]);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${codec.name}: ${ALL_CASES} cases in ${seconds} s\n`);
}

if (values.freeze) {
  writeFrozen(values.type === undefined ? found : { ...readFrozen(), ...found });
  process.stdout.write('frozen\n');
} else {
  const frozen = readFrozen();
  const wrong = codecs.filter(
    ({ name }) => JSON.stringify(frozen[name]) !== JSON.stringify(found[name]),
  );
  for (const { name } of wrong) process.stderr.write(`${name}: differs from the frozen hashes\n`);
  process.exit(wrong.length === 0 ? 0 : 1);
}
