/**
 * A reporter for `node --test`: after the last test, those that name rows of the specification and what became of
 * them, as JSON. Of a test that passed over one of its parts the whole counts as passed over.
 */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { ROOT } from '../check/repository.ts';
import { idsOf, type RanTest } from './row-table.ts';

// biome-ignore lint/style/noDefaultExport: `node --test` takes a reporter as the default export
export default async function* rowReporter(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const ran: RanTest[] = [];
  let passedOverAt: number[] = [];
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, nesting, file = '' } = data;
    const within = passedOverAt.some((level) => level > nesting);
    passedOverAt = passedOverAt.filter((level) => level <= nesting);
    const passedOver = Boolean(data.skip) || Boolean(data.todo) || within;
    if (passedOver) passedOverAt.push(nesting);
    const outcome = type === 'test:fail' ? 'FAILED' : passedOver ? 'passed over' : 'passed';
    if (idsOf(name).length > 0) ran.push({ name, file: relative(ROOT, file), outcome });
  }
  yield JSON.stringify(ran);
}
