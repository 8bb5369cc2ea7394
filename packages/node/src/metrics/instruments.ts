/**
 * The catalogue as live metrics in a registry of their own, every series present from the start.
 */
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { METRIC_NAMES, METRICS, type MetricEntry, type MetricName } from './catalogue.ts';

const STEP_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Labels = Readonly<Record<string, string>>;

export class Instruments {
  readonly registry: Registry = new Registry();
  readonly #counters = new Map<MetricName, Counter<string>>();
  readonly #gauges = new Map<MetricName, Gauge<string>>();
  readonly #histograms = new Map<MetricName, Histogram<string>>();

  constructor({ validator }: { validator: boolean }) {
    for (const name of METRIC_NAMES) {
      const entry: MetricEntry = METRICS[name];
      if (entry.when === 'validator' && !validator) continue;
      this.#create(name, entry);
    }
  }

  count(name: MetricName, by = 1, labels: Labels = {}): void {
    this.#counters.get(name)?.inc(labels, by);
  }

  /** Sets a counter that is counted elsewhere to its current value. */
  total(name: MetricName, value: number): void {
    const counter = this.#counters.get(name);
    counter?.reset();
    counter?.inc(value);
  }

  set(name: MetricName, value: number, labels: Labels = {}): void {
    this.#gauges.get(name)?.set(labels, value);
  }

  observe(name: MetricName, seconds: number, labels: Labels): void {
    this.#histograms.get(name)?.observe(labels, seconds);
  }

  #create(name: MetricName, { type, help, labels = {} }: MetricEntry): void {
    const labelNames = Object.keys(labels);
    const options = { name, help, labelNames, registers: [this.registry] };
    if (type === 'counter') this.#counters.set(name, new Counter(options));
    if (type === 'gauge') this.#gauges.set(name, new Gauge(options));
    if (type === 'histogram') {
      this.#histograms.set(name, new Histogram({ ...options, buckets: STEP_BUCKETS }));
    }
    for (const combination of labelCombinations(labels)) {
      if (labelNames.length > 0) this.#start(name, combination);
    }
  }

  #start(name: MetricName, labels: Labels): void {
    this.#counters.get(name)?.inc(labels, 0);
    this.#gauges.get(name)?.set(labels, 0);
    this.#histograms.get(name)?.zero(labels);
  }
}

function labelCombinations(labels: Readonly<Record<string, readonly string[]>>): Labels[] {
  return Object.entries(labels).reduce<Labels[]>(
    (rows, [name, values]) =>
      rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
}
