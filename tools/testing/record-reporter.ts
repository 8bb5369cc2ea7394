/**
 * A reporter for `node --test`: a line for every test that begins and for every one that ends, as `test-record.ts`
 * describes them, in the file that the environment names. A line is written before its test continues, not through
 * the stream of reporters, so that it is there when the process dies. A test with a skipped part counts as
 * skipped.
 */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { ROOT } from '../check/repository.ts';
import { type Outcome, RECORDS_VARIABLE, recordLine, type ToldTest } from './test-record.ts';

const MILLIS_PER_TICK = 10;
const REASON_LINES_MAX = 24;
const REASON_LINE_CHARACTERS_MAX = 400;

/** What Node reports of a test or suite that starts. A suite starts when its file is read, long before its tests. */
interface StartedTest {
  readonly type: 'test' | 'suite';
  /** Absent for the whole run, and for what Node makes of a file itself. */
  readonly file?: string | null;
  readonly name: string;
  readonly nesting: number;
}

function write(told: ToldTest): void {
  const path = process.env[RECORDS_VARIABLE];
  if (path === undefined) throw new Error(`${RECORDS_VARIABLE} must name a file`);
  appendFileSync(path, recordLine({ ...told, processorMillis: processorMillis() }));
}

/** Where there is no `/proc`, without the children. */
function processorMillis(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return ticks * MILLIS_PER_TICK;
  } catch {
    const { user, system } = process.cpuUsage();
    return Math.round((user + system) / 1_000);
  }
}

subscribe('tracing:node.test:start', (message) => {
  const { type, file, name, nesting } = message as StartedTest;
  // An error here would end the tests of the process, and Node would hardly report it.
  if (type !== 'test' || typeof file !== 'string') return;
  write({ type: 'begun', file: relative(ROOT, file), name, nesting });
});

// biome-ignore lint/style/noDefaultExport: `node --test` takes a reporter as the default export
export default async function* recordReporter(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  let passedOverAt: number[] = [];
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, nesting, file = '' } = data;
    const within = passedOverAt.some((level) => level > nesting);
    passedOverAt = passedOverAt.filter((level) => level <= nesting);
    const passedOver = Boolean(data.skip) || Boolean(data.todo) || within;
    if (passedOver) passedOverAt.push(nesting);
    const outcome: Outcome =
      type === 'test:fail' ? 'FAILED' : passedOver ? 'passed over' : 'passed';
    const millis = Math.round(data.details.duration_ms);
    const reason = type === 'test:fail' ? reasonOf(data.details.error) : undefined;
    write({
      ...{ type: 'ended', file: relative(ROOT, file), name, nesting, outcome, millis },
      ...(reason === undefined ? {} : { reason }),
    });
  }
  yield '';
}

/** Node wraps what a test threw, and reports an outer test as failed when its parts have. */
function reasonOf(error: Error & { readonly failureType?: unknown }): string | undefined {
  if (error.failureType === 'subtestsFailed') return undefined;
  const thrown = error.cause ?? error;
  const text = typeof thrown === 'string' ? thrown : inspect(thrown);
  const lines = text.split('\n').filter((line) => !line.includes('node:internal/'));
  return lines
    .slice(0, REASON_LINES_MAX)
    .map((line) => line.slice(0, REASON_LINE_CHARACTERS_MAX))
    .join('\n');
}
