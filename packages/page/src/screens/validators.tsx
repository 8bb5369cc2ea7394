/**
 * Validators by stake, with their attendance in the running epoch.
 */

import type { JSX } from 'preact';
import type { StakingValidators, ValidatorSummary } from 'svc-api';
import { head } from '../data/live.ts';
import { get } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { basisPoints, percent, roundCoins, share, whole } from '../format/figures.ts';
import { Attendance } from '../parts/attendance.tsx';
import { Card, Screen, Show, Stat, Table } from '../parts/layout.tsx';
import { Proof } from '../parts/proof.tsx';
import { ValidatorBadge } from '../parts/states.tsx';
import { Amount, Id } from '../parts/text.tsx';

/** Windows of an epoch, and how many of them a member may miss. */
const WINDOWS = 12;
const MISSES_MAX = 3;
const CUTS_BETWEEN_READS = 10;

export function ValidatorsScreen(): JSX.Element {
  const height = head.value?.cut.height ?? 0;
  const revision = Math.floor(height / CUTS_BETWEEN_READS);
  const reading = useRead<StakingValidators>(get('/v1/staking/validators?limit=100'), revision);
  const epoch = head.value?.epoch;
  return (
    <Screen
      title="Validators"
      over={epoch === undefined ? 'Committee' : `Committee of epoch ${whole(epoch)}`}
      aside={
        <Proof
          claim={reading.document === undefined ? undefined : { kind: 'validators' }}
          revision={epoch}
        />
      }
      readings={[reading]}
    >
      <Show reading={reading} lines={10}>
        {({ validators }) => <Committee validators={validators} />}
      </Show>
    </Screen>
  );
}

function Committee({ validators }: { validators: readonly ValidatorSummary[] }): JSX.Element {
  const members = validators.filter(({ committee }) => committee);
  const stake = members.reduce((sum, each) => sum + BigInt(each.stake), 0n);
  const third = thirdOf(members, stake);
  return (
    <>
      <dl class="stats">
        <Stat
          name="In the committee"
          value={whole(members.length)}
          note={`of ${whole(validators.length)} registered`}
        />
        <Stat name="Their stake" value={roundCoins(stake)} note="coins" />
        <Stat
          name="Can stop the chain"
          value={whole(third)}
          note="the fewest with a third of the stake"
        />
        <Stat
          name="Error budget"
          value={`${MISSES_MAX} of ${WINDOWS}`}
          note="windows of an epoch may be missed"
        />
      </dl>
      <Card>
        <Table
          caption="Validators by stake"
          rows={validators}
          keyOf={({ validator }) => validator}
          empty="There is no validator."
          columns={[
            { name: 'Validator', cell: ({ validator }) => <Id kind="validator" id={validator} /> },
            { name: 'State', cell: (row) => <ValidatorBadge {...row} /> },
            {
              name: 'Stake',
              kind: 'number',
              isMinor: true,
              cell: (row) => <Amount atoms={row.stake} />,
            },
            {
              name: 'Share',
              kind: 'number',
              isMinor: true,
              cell: (row) => (row.committee ? percent(share(row.stake, stake)) : '–'),
            },
            {
              name: 'Commission',
              kind: 'number',
              isMinor: true,
              cell: (row) => basisPoints(row.commission_bps),
            },
            {
              name: 'This epoch',
              cell: ({ attendance }) =>
                attendance === null ? '–' : <Attendance attendance={attendance} />,
            },
          ]}
        />
      </Card>
    </>
  );
}

/** How few members have more than a third of the stake together. */
function thirdOf(members: readonly ValidatorSummary[], stake: bigint): number {
  let sum = 0n;
  const sorted = members.toSorted((a, b) => (BigInt(a.stake) > BigInt(b.stake) ? -1 : 1));
  for (const [place, member] of sorted.entries()) {
    sum += BigInt(member.stake);
    if (sum * 3n > stake) return place + 1;
  }
  return sorted.length;
}
