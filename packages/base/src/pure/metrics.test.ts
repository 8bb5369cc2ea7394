import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricProblems } from '../testing/metric-problems.ts';
import { Histogram, metricsText } from './metrics.ts';

test('a text has help, type and one line for each sample, with labels escaped', () => {
  const histogram = new Histogram([0.1, 1]);
  for (const seconds of [0.1, 0.5, 0.25, 7]) histogram.observe(seconds);
  const text = metricsText([
    { name: 'svc_x_height', type: 'gauge', help: 'Height.', samples: [{ value: 3 }] },
    {
      name: 'svc_x_found_total',
      type: 'counter',
      help: 'Finds.',
      samples: [
        { labels: { by: 'a"b\\c\nd', result: 'ok' }, value: 2 },
        { labels: { by: 'x', result: 'ok' }, value: 1e21 },
      ],
    },
    { name: 'svc_x_empty_total', type: 'counter', help: 'Nothing yet.', samples: [] },
    { name: 'svc_x_level', type: 'gauge', help: 'Level.', samples: [{ value: Infinity }] },
    { name: 'svc_x_seconds', type: 'histogram', help: 'Time.', samples: histogram.samples() },
  ]);
  assert.equal(
    text,
    `# HELP svc_x_height Height.
# TYPE svc_x_height gauge
svc_x_height 3
# HELP svc_x_found_total Finds.
# TYPE svc_x_found_total counter
svc_x_found_total{by="a\\"b\\\\c\\nd",result="ok"} 2
svc_x_found_total{by="x",result="ok"} 1e+21
# HELP svc_x_empty_total Nothing yet.
# TYPE svc_x_empty_total counter
# HELP svc_x_level Level.
# TYPE svc_x_level gauge
svc_x_level +Inf
# HELP svc_x_seconds Time.
# TYPE svc_x_seconds histogram
svc_x_seconds_bucket{le="0.1"} 1
svc_x_seconds_bucket{le="1"} 3
svc_x_seconds_bucket{le="+Inf"} 4
svc_x_seconds_sum 7.85
svc_x_seconds_count 4
`,
  );
  assert.deepEqual(metricProblems(text), []);
});

test('the labels of a histogram stand on all of its lines', () => {
  const histogram = new Histogram([1]);
  histogram.observe(2);
  assert.deepEqual(histogram.samples({ step: 'check' }), [
    { suffix: '_bucket', labels: { le: '1', step: 'check' }, value: 0 },
    { suffix: '_bucket', labels: { le: '+Inf', step: 'check' }, value: 1 },
    { suffix: '_sum', labels: { step: 'check' }, value: 2 },
    { suffix: '_count', labels: { step: 'check' }, value: 1 },
  ]);
});

test('what Prometheus or its linter refuse is found', () => {
  const of = (name: string, type: string, ...lines: string[]) =>
    [`# HELP ${name} Words.`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
  const steps = (...lines: string[]) => of('a_seconds', 'histogram', ...lines);
  const table: readonly (readonly [string, RegExp])[] = [
    ['# HELP a Words.\n# TYPE a gauge\na 1', /no end/],
    ['# TYPE a gauge\na 1\n', /no help/],
    ['a 1\n', /no type/],
    [of('a', 'gauge', 'b 1'), /b has no type/],
    [of('a', 'gauge', 'a one'), /cannot be read/],
    [of('a', 'gauge', 'a{x="1"y="2"} 1'), /cannot be read/],
    [of('a', 'gauge', 'a{x="1",x="2"} 1'), /cannot be read/],
    [of('a', 'gauge', 'a{x="a"b"} 1'), /cannot be read/],
    [
      of('a', 'gauge', 'a 1') + of('b', 'gauge', 'b 1') + of('a', 'gauge', 'a{x="1"} 1'),
      /a is there twice/,
    ],
    [of('a', 'gauge', 'a{x="1",y="2"} 1', 'a{y="2",x="1"} 1'), /series .* is there twice/],
    [of('aB', 'gauge', 'aB 1'), /small letters/],
    [of('a_ms', 'gauge', 'a_ms 1'), /unit/],
    [of('a_gauge', 'gauge', 'a_gauge 1'), /says its type/],
    [of('a', 'counter', 'a 1'), /_total/],
    [of('a_total', 'gauge', 'a_total 1'), /_total/],
    [of('a_total', 'counter', 'a_total -1'), /not positive/],
    [of('a_total', 'counter', 'a_total NaN'), /not positive/],
    [of('a_count', 'gauge', 'a_count 1'), /ends like/],
    [of('a', 'gauge', 'a{le="1"} 1'), /label le/],
    [of('a', 'gauge', 'a{quantile="1"} 1'), /label quantile/],
    [of('a', 'gauge', 'a{__x="1"} 1'), /label __x/],
    [steps('a_seconds_bucket{le="+Inf"} 1', 'a_seconds_sum 1'), /no histogram/],
    [steps('a_seconds_bucket{le="+Inf"} 1', 'a_seconds_count 1'), /no histogram/],
    [steps('a_seconds_bucket{le="1"} 1', 'a_seconds_sum 1', 'a_seconds_count 1'), /no histogram/],
    [
      steps('a_seconds_bucket{le="+Inf"} 1', 'a_seconds_sum 1', 'a_seconds_count 2'),
      /no histogram/,
    ],
    [
      steps(
        'a_seconds_bucket{le="1"} 2',
        'a_seconds_bucket{le="2"} 1',
        'a_seconds_bucket{le="+Inf"} 2',
        'a_seconds_sum 1',
        'a_seconds_count 2',
      ),
      /no histogram/,
    ],
  ];
  for (const [text, problem] of table) assert.match(metricProblems(text).join('\n'), problem, text);
  assert.deepEqual(metricProblems(of('a_seconds', 'summary', 'a_seconds{quantile="1"} 0.5')), []);
});
