/**
 * The page on every metric of a node.
 */
import {
  METRIC_NAMES,
  METRICS,
  type MetricEntry,
  type MetricName,
} from '../../packages/node/src/metrics/catalogue.ts';
import { code, type Page, page } from './markdown.ts';

const INTRODUCTION = `What \`svcd run --metrics-bind <ip>\` serves at \`/metrics\`. Labels have fixed values and never carry text
from outside. [Watching a node](../operate/monitoring.md) says what to look at.`;

export function nodeMetricsPage(): Page {
  return page('docs/reference/metrics.md', 'Metrics', [
    INTRODUCTION,
    METRIC_NAMES.map(lineOf).join('\n'),
  ]);
}

function lineOf(name: MetricName): string {
  const { type, help, labels = {}, when }: MetricEntry = METRICS[name];
  const shown = Object.entries(labels).map(
    ([label, values]) =>
      `${code(label)}${values.length === 0 ? '' : `: ${values.map(code).join(', ')}`}`,
  );
  const kind = [type, ...shown].join('; ');
  return `- ${code(name)} (${kind}): ${when === undefined ? help : `${help} Only on a ${when}.`}`;
}
