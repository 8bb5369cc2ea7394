/**
 * The pool at a glance: how to connect, what it costs, what it does now and did in the last day.
 */
import type { JSX } from 'preact';
import { href } from '../app/router.ts';
import { get } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { basisPoints, coins, hashrate, whole } from '../format/figures.ts';
import { shownText } from '../format/shown-text.ts';
import { duration } from '../format/times.ts';
import { Card, Fact, Facts, Loading, Screen, Show, Stat } from '../parts/layout.tsx';
import { Amount, Badge, Copy } from '../parts/text.tsx';
import { BlockTable } from './books-screens.tsx';
import { DayOfWork } from './day.tsx';
import type { Mode, PoolBlocks, PoolHistory, PoolStatistics } from './documents.ts';
import { OnChain } from './names.tsx';
import { pulse, statistics } from './pulse.ts';

const ROWS = 8;
const WAYS: readonly (readonly [Mode, string])[] = [
  ['pplns', 'Together (PPLNS)'],
  ['solo', 'Alone (solo)'],
];

export function PoolScreen(): JSX.Element {
  const now = statistics.value;
  const history = useRead<PoolHistory>(get('/v1/history'), pulse.value);
  const blocks = useRead<PoolBlocks>(get('/v1/blocks'), pulse.value);
  return (
    <Screen
      title={now === undefined ? 'Pool' : shownText(now.pool.name)}
      over={
        now === undefined
          ? 'Pool'
          : `A pool of the ${now.network} network; its node is ${now.node.state}`
      }
      readings={[history, blocks]}
    >
      {now === undefined ? (
        <Loading lines={6} />
      ) : (
        <>
          <Figures now={now} />
          <Connect now={now} />
        </>
      )}
      <Show reading={history} lines={5}>
        {(document) => <DayOfWork history={document} />}
      </Show>
      <Card title="Latest blocks" more={<a href={href('blocks')}>All</a>}>
        <Show reading={blocks}>
          {(document) => <BlockTable blocks={document.blocks.slice(0, ROWS)} />}
        </Show>
      </Card>
    </Screen>
  );
}

function Figures({ now }: { now: PoolStatistics }): JSX.Element {
  const { pool } = now;
  return (
    <dl class="stats">
      <Stat name="Hash rate" value={hashrate(now.hashrate['60s'])} note="over a minute" />
      <Stat
        name="Connections"
        value={whole(pool.connections.pplns + pool.connections.solo)}
        note={`${pool.connections.pplns} together, ${pool.connections.solo} alone`}
      />
      <Stat
        name="Blocks paid"
        value={whole(pool.blocks.paid)}
        note={`${pool.blocks.found} wait, ${pool.blocks.expired} expired`}
      />
      <Stat name="Rounds" value={whole(pool.rounds)} note="divided by work" />
      <Stat name="Owed to miners" value={<Amount atoms={pool.owed} />} note="coins" />
    </dl>
  );
}

function Connect({ now }: { now: PoolStatistics }): JSX.Element {
  const { pool } = now;
  return (
    <div class="columns">
      <Card title="Connect">
        {WAYS.filter(([mode]) => pool.urls[mode].length > 0).map(([mode, name]) => (
          <section key={mode}>
            <p class="soft">{name}</p>
            {pool.urls[mode].map((url) => (
              <Command
                key={url}
                text={`svc-miner --url ${url} --user <address>.<worker>`}
                way={name}
              />
            ))}
          </section>
        ))}
        <p class="soft after">The user name is your address, a dot, and a name for the machine.</p>
      </Card>
      <Card title="Terms">
        <Facts>
          <Fact name="Fee">{basisPoints(Number(pool.fee_basis_points))}</Fact>
          <Fact name="Window">{countOf(pool.window_blocks, 'block')} of work</Fact>
          <Fact name="Paid from">
            {pool.pays_out ? (
              `${coins(pool.threshold)} coins on`
            ) : (
              <Badge tone="bad">nothing is paid</Badge>
            )}
          </Fact>
          <Fact name="Running for">{duration(now.uptime_seconds)}</Fact>
          <Fact name="Address of the pool" isWide>
            <OnChain kind="address" id={pool.address} />
            <Copy text={pool.address} what="the address" />
          </Fact>
        </Facts>
        <p class="soft after">
          With PPLNS a block is divided by the work of the window; alone, a block is its finder's.
          The fee of a payment comes out of it.
        </p>
      </Card>
    </div>
  );
}

function countOf(count: string, name: string): string {
  return `${whole(BigInt(count))} ${name}${count === '1' ? '' : 's'}`;
}

function Command({ text, way }: { text: string; way: string }): JSX.Element {
  return (
    <p class="curl">
      <code>{text}</code>
      <Copy text={text} what={`the command, ${way.toLowerCase()}`} />
    </p>
  );
}
