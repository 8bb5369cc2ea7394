/**
 * Where every coin is: the value equation, added up in the tab; the emission from the first day to the last; what
 * staking would bring; what was burned.
 */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { EmissionDocument, StakingEstimateDocument, SupplyDocument } from 'svc-api';
import { head } from '../data/live.ts';
import { get } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { emissionCurve, LAST_DAY } from '../format/emission-curve.ts';
import { coins, parseCoins, percent, roundCoins, share, whole } from '../format/figures.ts';
import { duration } from '../format/times.ts';
import { Burns } from '../parts/burns.tsx';
import { Field } from '../parts/form.tsx';
import { Card, Fact, Facts, Screen, Show, Stat } from '../parts/layout.tsx';
import { LineChart } from '../parts/line-chart.tsx';
import { Proof } from '../parts/proof.tsx';
import { Amount } from '../parts/text.tsx';

const CUTS_BETWEEN_READS = 8;
const DAYS_BETWEEN_POINTS = 25;
const ATOMS_PER_COIN = 1e8;

const PARTS: readonly (readonly [keyof SupplyDocument, string, string])[] = [
  ['circulating_supply', 'in outputs', 'can be spent'],
  ['bonded', 'bonded', 'counts for validators'],
  ['unbonding', 'unbonding', 'on its way back'],
  ['work_reserve', 'work reserve', 'open anchors'],
  ['stake_reserve', 'stake reserve', 'running pools'],
  ['burned', 'burned', 'gone'],
];

export function EconomicsScreen(): JSX.Element {
  const revision = Math.floor((head.value?.cut.height ?? 0) / CUTS_BETWEEN_READS);
  const supply = useRead<SupplyDocument>(get('/v1/economics/supply'), revision);
  const emission = useRead<EmissionDocument>(get('/v1/economics/emission'), revision);
  return (
    <Screen
      title="Economics"
      over="Where every coin is"
      aside={<Proof claim={{ kind: 'supply' }} revision={revision} />}
      readings={[supply, emission]}
    >
      <Show reading={supply} lines={6}>
        {(document) => <Equation supply={document} />}
      </Show>
      <div class="columns">
        <Card title="Emission">
          <Show reading={emission}>{(document) => <Emission emission={document} />}</Show>
        </Card>
        <Estimate />
      </div>
      <Show reading={supply}>
        {(document) => <Burns key={document.burned} supply={document} />}
      </Show>
    </Screen>
  );
}

function Equation({ supply }: { supply: SupplyDocument }): JSX.Element {
  const sum = PARTS.reduce((all, [name]) => all + BigInt(supply[name]), 0n);
  const isEqual = sum === BigInt(supply.minted);
  return (
    <>
      <dl class="stats">
        <Stat
          name="Total supply"
          value={roundCoins(supply.total_supply)}
          note={`of ${roundCoins(supply.max_supply)} coins at most`}
        />
        <Stat
          name="Circulating"
          value={roundCoins(supply.circulating_supply)}
          note={percent(share(supply.circulating_supply, supply.total_supply))}
        />
        <Stat
          name="Bonded"
          value={roundCoins(supply.bonded)}
          note={percent(share(supply.bonded, supply.total_supply))}
        />
        <Stat name="Burned" value={coins(supply.burned)} note="coins" />
      </dl>
      <Card
        title={`The value equation at cut ${whole(supply.finalized_height)}`}
        more={
          isEqual ? (
            <span class="yes">✓ added up in this tab: equal to the atom</span>
          ) : (
            <strong class="lie">✕ the parts do not add up to what was minted</strong>
          )
        }
      >
        <div class="stack" aria-hidden="true">
          {PARTS.map(([name], place) => (
            <i
              key={name}
              class={`part${place}`}
              style={{ flexGrow: share(supply[name] as string, supply.minted) }}
            />
          ))}
        </div>
        <Facts>
          {PARTS.map(([name, title, about], place) => (
            <Fact
              key={name}
              name={
                <>
                  <i class={`swatch part${place}`} aria-hidden="true" /> {title}
                </>
              }
            >
              <Amount atoms={supply[name] as string} />
              <br />
              <small>{about}</small>
            </Fact>
          ))}
          <Fact name="= minted">
            <Amount atoms={supply.minted} />
          </Fact>
        </Facts>
      </Card>
    </>
  );
}

function Emission({ emission }: { emission: EmissionDocument }): JSX.Element {
  const points = emissionCurve(DAYS_BETWEEN_POINTS).map(({ day, issued }) => ({
    x: day,
    y: Number(issued) / ATOMS_PER_COIN,
  }));
  return (
    <>
      <LineChart
        label="Issued by day"
        points={points}
        formatX={(day) => `day ${whole(day)}`}
        formatY={(issued) => `${whole(Math.floor(issued))} coins`}
        mark={{
          x: Math.min(emission.epoch, LAST_DAY),
          text: `today: day ${whole(emission.epoch)}`,
          y: Number(emission.issued) / ATOMS_PER_COIN,
        }}
      />
      <Facts>
        <Fact name="Subsidy of a cut">
          <Amount atoms={emission.subsidy} />
        </Fact>
        <Fact name="This day">
          <Amount atoms={emission.interval_amount} />
        </Fact>
        <Fact name="Next day">
          <Amount atoms={emission.next_interval_amount} />
        </Fact>
        <Fact name="Reduction in">
          {whole(emission.cuts_to_next_reduction)} cuts{' '}
          <small>
            ({duration((emission.next_reduction_millis - (head.value?.time_millis ?? 0)) / 1_000)})
          </small>
        </Fact>
        <Fact name="Issued">
          <Amount atoms={emission.issued} />
        </Fact>
        <Fact name="To come, until day 12,650">
          <Amount atoms={emission.to_come} />
        </Fact>
      </Facts>
    </>
  );
}

function Estimate(): JSX.Element {
  const [text, setText] = useState('10000');
  const atoms = parseCoins(text);
  const reading = useRead<StakingEstimateDocument>(
    atoms === undefined || atoms === 0n
      ? undefined
      : get(`/v1/economics/estimate/staking?amount=${atoms}`),
  );
  return (
    <Card title="What staking would bring">
      <Field
        label="Coins delegated"
        value={text}
        onText={setText}
        input={{ inputMode: 'decimal' }}
      />
      {atoms === undefined ? <p class="soft">An amount with at most eight decimals.</p> : null}
      {reading.request === undefined ? null : (
        <Show reading={reading}>
          {(estimate) => (
            <Facts>
              <Fact name="A day, before commission">
                <Amount atoms={estimate.reward_per_day} />
              </Fact>
              <Fact name="A year at this rate">
                {percent(share(BigInt(estimate.reward_per_day) * 365n, estimate.amount))}
              </Fact>
              <Fact name="Paid to all stake a day">
                <Amount atoms={estimate.pool_per_day} />
              </Fact>
              <Fact name="Stake of the committee">
                <Amount atoms={estimate.committee_stake} />
              </Fact>
            </Facts>
          )}
        </Show>
      )}
      <p class="soft">
        The node says so; it was not checked here. The emission falls by 0.3 % a day, and other
        stakers share the same pool.
      </p>
    </Card>
  );
}
