/**
 * The catalogue as live values, every series present from the start. A label that the catalogue does not list for a
 * metric is a mistake of the caller.
 */
import assert from 'node:assert/strict';
import { Histogram, type Metric, type Sample } from 'svc-base/pure';
import { METRIC_NAMES, METRICS, type MetricEntry, type MetricName } from './catalogue.ts';

const STEP_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Labels = Readonly<Record<string, string>>;

interface Series {
  readonly labels: Labels;
  /** Null while it is not known. */
  value: number | null;
  readonly histogram: Histogram | undefined;
}

interface Instrument {
  readonly entry: MetricEntry;
  /** Of its labels. */
  readonly names: readonly string[];
  /** By the values of the labels, in the order of the catalogue. */
  readonly series: Map<string, Series>;
}

export class Instruments {
  readonly #instruments = new Map<MetricName, Instrument>();

  constructor({ validator }: { validator: boolean }) {
    for (const name of METRIC_NAMES) {
      const entry: MetricEntry = METRICS[name];
      if (entry.when === 'validator' && !validator) continue;
      this.#instruments.set(name, {
        entry,
        names: Object.keys(entry.labels ?? {}),
        series: new Map(),
      });
      for (const labels of labelCombinations(entry.labels ?? {})) this.#seriesOf(name, labels);
    }
  }

  count(name: MetricName, by = 1, labels: Labels = {}): void {
    const series = this.#seriesOf(name, labels);
    if (series !== undefined) series.value = (series.value ?? 0) + by;
  }

  /** Sets a level, or a counter that is counted elsewhere, to its current value; null leaves the series out. */
  set(name: MetricName, value: number | null, labels: Labels = {}): void {
    const series = this.#seriesOf(name, labels);
    if (series !== undefined) series.value = value;
  }

  observe(name: MetricName, seconds: number, labels: Labels): void {
    this.#seriesOf(name, labels)?.histogram?.observe(seconds);
  }

  metrics(): Metric[] {
    return [...this.#instruments].map(([name, { entry, series }]) => ({
      name,
      type: entry.type,
      help: entry.help,
      samples: [...series.values()].flatMap(samplesOf),
    }));
  }

  /** Undefined for a metric that this kind of node does not have. */
  #seriesOf(name: MetricName, labels: Labels): Series | undefined {
    const instrument = this.#instruments.get(name);
    if (instrument === undefined) return undefined;
    const { names } = instrument;
    const key = names.map((label) => labels[label]).join();
    const known = instrument.series.get(key);
    if (known !== undefined) return known;
    assert.deepEqual(Object.keys(labels), names, `labels of ${name}`);
    const isHistogram = instrument.entry.type === 'histogram';
    const histogram = isHistogram ? new Histogram(STEP_BUCKETS) : undefined;
    const value = instrument.entry.startsUnknown === true ? null : 0;
    const series: Series = { labels, value, histogram };
    instrument.series.set(key, series);
    return series;
  }
}

function samplesOf({ labels, value, histogram }: Series): Sample[] {
  if (histogram !== undefined) return histogram.samples(labels);
  return value === null ? [] : [{ labels, value }];
}

function labelCombinations(labels: Readonly<Record<string, readonly string[]>>): Labels[] {
  return Object.entries(labels).reduce<Labels[]>(
    (rows, [name, values]) =>
      rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
}
