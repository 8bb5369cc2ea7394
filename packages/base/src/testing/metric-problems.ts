/**
 * Reads the text of a program's metrics as strictly as Prometheus and its linter do, for tests on real output. Only what
 * our programs write is read: no time stamps, no comments other than HELP and TYPE.
 */
interface Line {
  readonly series: string;
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

interface Family {
  readonly name: string;
  readonly type: string;
  readonly lines: Line[];
}

const NAME = /^[a-z][a-z0-9_]*$/;
const HELP = /^# HELP (\S+) (\S.*)$/;
const TYPE = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/;
const SAMPLE = /^([^\s{]+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([^=,{]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const VALUE = /^(?:[+-]Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
/** Units that Prometheus does not count in, or writes out. */
const UNIT = /_(?:ms|millis|milliseconds|microseconds|minutes|hours|days|kb|mb|kilobytes)(?:_|$)/;

/** What is wrong with the text, one line each; empty for a text that Prometheus and its linter accept. */
export function metricProblems(text: string): string[] {
  const problems: string[] = [];
  if (!text.endsWith('\n')) problems.push('the last line has no end');
  const families = readFamilies(text, problems);
  for (const name of repeated(families.map((family) => family.name)))
    problems.push(`${name} is there twice`);
  const series = families.flatMap(({ lines }) => lines.map((line) => line.series));
  for (const name of repeated(series)) problems.push(`the series ${name} is there twice`);
  for (const family of families) problems.push(...namingProblems(family), ...typeProblems(family));
  return problems;
}

function readFamilies(text: string, problems: string[]): Family[] {
  const families: Family[] = [];
  let help: string | undefined;
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, helped] = HELP.exec(line) ?? [];
    const [, typed, type = ''] = TYPE.exec(line) ?? [];
    if (helped !== undefined) help = helped;
    else if (typed !== undefined) {
      if (typed !== help) problems.push(`${typed} has no help before its type`);
      families.push({ name: typed, type, lines: [] });
    } else {
      const sample = readSample(line);
      const family = families.at(-1);
      if (sample === undefined) problems.push(`cannot be read: ${line}`);
      else if (family === undefined || !belongs(sample, family))
        problems.push(`${sample.name} has no type before it`);
      else family.lines.push(sample);
    }
  }
  return families;
}

function readSample(line: string): Line | undefined {
  const [, name = '', inner, value = ''] = SAMPLE.exec(line) ?? [];
  const labels = new Map<string, string>();
  if (!VALUE.test(value)) return undefined;
  LABEL.lastIndex = 0;
  while (inner !== undefined && LABEL.lastIndex < inner.length) {
    const [, label, text] = LABEL.exec(inner) ?? [];
    if (label === undefined || labels.has(label)) return undefined;
    labels.set(label, text ?? '');
  }
  const pairs = [...labels].map(([label, text]) => `${label}=${text}`).sort();
  const number = value.endsWith('Inf') ? Number(`${value}inity`) : Number(value);
  return { series: JSON.stringify([name, ...pairs]), name, labels, value: number };
}

function belongs({ name }: Line, { name: family, type }: Family): boolean {
  const suffixes = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] };
  return (suffixes[type as keyof typeof suffixes] ?? ['']).some((end) => name === family + end);
}

function namingProblems({ name, type, lines }: Family): string[] {
  const problems: string[] = [];
  if (!NAME.test(name)) problems.push(`${name} is no name of small letters`);
  if (UNIT.test(name)) problems.push(`${name} counts in another unit than the base unit`);
  if (/_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name))
    problems.push(`${name} says its type`);
  if ((type === 'counter') !== name.endsWith('_total'))
    problems.push(`${name} is a ${type}: counters end with _total, and nothing else does`);
  if (type !== 'histogram' && /_(?:bucket|sum|count)$/.test(name))
    problems.push(`${name} ends like a series of a histogram`);
  const labels = new Set(lines.flatMap((line) => [...line.labels.keys()]));
  for (const label of labels) {
    if (!NAME.test(label) || label.startsWith('__')) problems.push(`${name} has a label ${label}`);
    if (label === 'le' && type !== 'histogram') problems.push(`${name} has the label le`);
    if (label === 'quantile' && type !== 'summary') problems.push(`${name} has the label quantile`);
  }
  return problems;
}

function typeProblems({ name, type, lines }: Family): string[] {
  const isCounted = type === 'counter' || type === 'histogram';
  const problems = lines
    .filter(({ value }) => isCounted && !(value >= 0))
    .map(({ series }) => `${series} is counted and not positive`);
  if (type !== 'histogram') return problems;
  const groups = Map.groupBy(lines, ({ labels }) =>
    JSON.stringify([...labels].filter(([label]) => label !== 'le').sort()),
  );
  for (const [group, members] of groups)
    if (!isHistogram(name, members)) problems.push(`${name}${group} is no histogram`);
  return problems;
}

/** Buckets that rise to all that were counted, a count and a sum. */
function isHistogram(name: string, lines: readonly Line[]): boolean {
  const buckets = lines.filter((line) => line.name === `${name}_bucket`);
  const [count, ...counts] = lines.filter((line) => line.name === `${name}_count`);
  const sums = lines.filter((line) => line.name === `${name}_sum`);
  const ends = buckets.map(({ labels }) => Number(labels.get('le')?.replace('+Inf', 'Infinity')));
  const rises = (values: readonly number[], least: number) =>
    values.every((value, at) => at === 0 || value - (values[at - 1] as number) >= least);
  return (
    count !== undefined &&
    counts.length === 0 &&
    sums.length === 1 &&
    ends.at(-1) === Number.POSITIVE_INFINITY &&
    new Set(ends).size === ends.length &&
    rises(ends, 0) &&
    rises(
      buckets.map(({ value }) => value),
      0,
    ) &&
    buckets.at(-1)?.value === count.value
  );
}

function repeated(names: readonly string[]): Set<string> {
  return new Set(names.filter((name, at) => names.indexOf(name) !== at));
}
