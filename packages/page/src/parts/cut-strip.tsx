/**
 * The last cuts as bars, the newest at the right: as high as what they executed, as warm as they were slow.
 */

import type { JSX } from 'preact';
import type { CutSummary } from 'svc-api';
import { href } from '../app/router.ts';
import { millis, whole } from '../format/figures.ts';
import { Loading } from './layout.tsx';

const SHOWN = 48;
const DOTS_MAX = 4;

/** From 0 to 1 on a scale that shows one transaction and four thousand. */
function heightOf(transactions: number): number {
  return transactions === 0 ? 0.06 : 0.2 + 0.8 * Math.min(1, Math.log10(1 + transactions) / 3.64);
}

function paceOf(took: number, usual: number): string {
  if (took === 0 || usual === 0) return '';
  if (took > usual * 2) return 'slow';
  return took < usual * 0.6 ? 'quick' : '';
}

export function CutStrip({ cuts }: { cuts: readonly CutSummary[] }): JSX.Element {
  if (cuts.length === 0) return <Loading lines={3} />;
  const shown = cuts.slice(0, SHOWN).toReversed();
  const times = shown.map(
    (cut, place) => cut.time_millis - (shown[place - 1]?.time_millis ?? cut.time_millis),
  );
  const usual = [...times.slice(1)].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  return (
    <section class="strip" aria-label="The last cuts, newest last">
      <ol>
        {shown.map((cut, place) => {
          const transactions = cut.transactions ?? 0;
          const took = times[place] ?? 0;
          const label = `Cut ${whole(cut.height)}: ${whole(transactions)} transactions, ${cut.registered_work} blocks registered, ${millis(took)} after the one before`;
          return (
            <li key={cut.height}>
              <a href={href('cut', cut.height)} title={label} aria-label={label}>
                <span
                  class={`column ${paceOf(took, usual)}`}
                  style={{ height: `${heightOf(transactions) * 100}%` }}
                />
                <span class="dots" aria-hidden="true">
                  {Array.from({ length: Math.min(DOTS_MAX, cut.registered_work) }, (_, dot) => (
                    <i key={dot} />
                  ))}
                </span>
              </a>
            </li>
          );
        })}
      </ol>
      <p class="legend" aria-hidden="true">
        <span>
          <i class="bar" /> transactions executed
        </span>
        <span>
          <i class="dot" /> block registered
        </span>
        <span>
          <i class="bar quick" /> quicker
        </span>
        <span>
          <i class="bar slow" /> slower than usual
        </span>
        <span class="newest">newest →</span>
      </p>
    </section>
  );
}
