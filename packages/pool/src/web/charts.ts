/**
 * A day of work as two charts and a table: the hash rate in steps of ten minutes, and the blocks of each hour beside
 * those that the work should have found. The charts are SVG without scripts or styles of their own; colours are in the
 * style sheet, and words stand outside of the drawing, which is stretched to the width of the page.
 */
import { type HistoryStep, STEP_MILLIS } from '../books/work-history.ts';
import { rate } from './format.ts';
import { type Html, html, list } from './html.ts';

const HEIGHT = 100;
const HOUR_STEPS = 6;

interface Hour {
  readonly fromMillis: number;
  readonly hashrate: number;
  readonly blocks: number;
  readonly expectedBlocks: number;
}

export function hashrateOf({ work }: HistoryStep): number {
  return work / (STEP_MILLIS / 1_000);
}

export function historyCharts(steps: readonly HistoryStep[]): Html {
  const endMillis = (steps.at(-1)?.fromMillis ?? 0) + STEP_MILLIS;
  const hours = hoursOf(steps);
  if (steps.every(({ work }) => work === 0))
    return html`<p>No work in the ${hours.length} hours before ${timeOf(endMillis)} UTC.</p>`;
  const ends = html`<p class="ends"><span>${dayOf(steps[0]?.fromMillis ?? 0)} UTC</span><span>${dayOf(endMillis)} UTC</span></p>`;
  return html`${rateFigure(steps, ends)}${blocksFigure(hours, ends)}
<details><summary>Figures by the hour</summary>
${list(
  ['from', 'hash rate', 'blocks', 'expected'],
  hours.map(({ fromMillis, hashrate, blocks, expectedBlocks }) => [
    `${timeOf(fromMillis)} UTC`,
    rate(hashrate),
    String(blocks),
    expectedBlocks.toFixed(2),
  ]),
)}</details>`;
}

function rateFigure(steps: readonly HistoryStep[], ends: Html): Html {
  const rates = steps.map(hashrateOf);
  const most = Math.max(...rates);
  const line = rates.map((value) => `V${heightOf(value, most)}h1`).join('');
  return html`<figure><figcaption id="rates">Hash rate of the day: ${rate(meanOf(rates))} on average, ${rate(most)} at most, ${rate(rates.at(-1) ?? 0)} in the last ten minutes.</figcaption>
<svg viewBox="0 0 ${rates.length} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="rates"><path class="bars" d="M0 ${HEIGHT}${line}V${HEIGHT}Z"/></svg>${ends}</figure>`;
}

function blocksFigure(hours: readonly Hour[], ends: Html): Html {
  const found = sumOf(hours.map(({ blocks }) => blocks));
  const expected = sumOf(hours.map(({ expectedBlocks }) => expectedBlocks));
  const most = Math.max(...hours.flatMap(({ blocks, expectedBlocks }) => [blocks, expectedBlocks]));
  const bars = hours.map(
    ({ blocks }, at) => `M${at}.1 ${HEIGHT}V${heightOf(blocks, most)}h.8V${HEIGHT}Z`,
  );
  const line = hours.map(
    ({ expectedBlocks }, at) => `${at === 0 ? 'M0 ' : 'V'}${heightOf(expectedBlocks, most)}h1`,
  );
  return html`<figure><figcaption id="luck">Blocks of the day: ${found} found, ${expected.toFixed(1)} expected of the work, luck ${((found / expected) * 100).toFixed(0)} %. Bars are the blocks of an hour, the line is what was expected.</figcaption>
<svg viewBox="0 0 ${hours.length} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="luck"><path class="bars" d="${bars.join('')}"/><path class="line" d="${line.join('')}"/></svg>${ends}</figure>`;
}

/** Hours that end with the last step, not those of the clock, so that each has as many steps as the others. */
function hoursOf(steps: readonly HistoryStep[]): Hour[] {
  return Array.from({ length: Math.floor(steps.length / HOUR_STEPS) }, (_, at) => {
    const hour = steps.slice(at * HOUR_STEPS, (at + 1) * HOUR_STEPS);
    return {
      fromMillis: hour[0]?.fromMillis ?? 0,
      hashrate: meanOf(hour.map(hashrateOf)),
      blocks: sumOf(hour.map(({ blocks }) => blocks)),
      expectedBlocks: sumOf(hour.map(({ expectedBlocks }) => expectedBlocks)),
    };
  });
}

/** Where a value lies, counted from the top; the greatest one stays below the edge by the width of a line. */
function heightOf(value: number, most: number): string {
  return (HEIGHT - (value / most) * (HEIGHT - 2)).toFixed(1);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}

/** Month, day and time. */
function dayOf(millis: number): string {
  return `${new Date(millis).toISOString().slice(5, 10)} ${timeOf(millis)}`;
}

function timeOf(millis: number): string {
  return new Date(millis).toISOString().slice(11, 16);
}
