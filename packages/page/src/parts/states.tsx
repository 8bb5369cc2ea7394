/**
 * States of transactions and rewards as small coloured words.
 */

import type { JSX } from 'preact';
import type { CutTransaction, Reward, ValidatorSummary } from 'svc-api';
import { Badge } from './text.tsx';

export function OutcomeBadge({ outcome }: { outcome: CutTransaction['outcome'] }): JSX.Element {
  const tone = outcome === 'finalized' ? 'good' : outcome === 'skipped' ? '' : 'bad';
  return <Badge tone={tone}>{outcome.replaceAll('_', ' ')}</Badge>;
}

export function RewardBadge({ state }: { state: Reward['state'] }): JSX.Element {
  const tone = { waiting: 'wait', registered: 'wait', paid: 'good', expired: 'bad' }[state];
  return <Badge tone={tone}>{state}</Badge>;
}

export function ValidatorBadge({
  state,
  committee,
}: Pick<ValidatorSummary, 'state' | 'committee'>): JSX.Element {
  if (committee && state !== 'removed') return <Badge tone="good">signs</Badge>;
  const tone = state === 'jailed' || state === 'removed' ? 'bad' : state === 'live' ? 'wait' : '';
  return <Badge tone={tone}>{state}</Badge>;
}

/** Steps on a line: those done, the one that runs, those to come. */
export function Stepper(props: {
  label: string;
  steps: readonly string[];
  done: number;
  failed?: string;
}): JSX.Element {
  const { label, steps, done, failed } = props;
  return (
    <ol class="stepper" aria-label={label}>
      {steps.map((name, place) => {
        const isFailed = failed !== undefined && place === done;
        const state = isFailed
          ? 'failed'
          : place < done
            ? 'done'
            : place === done
              ? 'now'
              : 'later';
        return (
          <li key={name} class={state} aria-current={place === done ? 'step' : undefined}>
            <span class="dot" aria-hidden="true" />
            <span>{isFailed ? failed : name}</span>
          </li>
        );
      })}
    </ol>
  );
}
