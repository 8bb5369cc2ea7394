/**
 * Metrics in the text form that Prometheus reads, written from current values. Every program writes
 * its metrics with this and with nothing else.
 */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function metricsText(metrics: readonly Metric[]): string {
  return metrics.flatMap(linesOf).join('');
}

function linesOf({ name, type, help, samples }: Metric): string[] {
  const lines = samples.map(({ suffix = '', labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${valueText(value)}\n`;
  });
  return [`# HELP ${name} ${help}\n`, `# TYPE ${name} ${type}\n`, ...lines];
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

/** Observed values, counted by upper ends that rise. */
export class Histogram {
  readonly #ends: readonly number[];
  /** How many values fell between an end and the one before it; those above the last end are in the count alone. */
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(ends: readonly number[]) {
    this.#ends = ends;
    this.#counts = ends.map(() => 0);
  }

  observe(value: number): void {
    const at = this.#ends.findIndex((end) => value <= end);
    if (at >= 0) this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#sum += value;
    this.#count += 1;
  }

  samples(labels: Readonly<Record<string, string>> = {}): Sample[] {
    let below = 0;
    const buckets = this.#ends.map((end, index) => {
      below += this.#counts[index] as number;
      return { suffix: '_bucket' as const, labels: { le: String(end), ...labels }, value: below };
    });
    return [
      ...buckets,
      { suffix: '_bucket', labels: { le: '+Inf', ...labels }, value: this.#count },
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: this.#count },
    ];
  }
}
