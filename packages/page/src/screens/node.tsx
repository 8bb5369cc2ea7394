/**
 * The node that served the page: its state, and its recent view of the chain.
 */

import type { JSX } from 'preact';
import type { ChainSeries, NodeIdentityDocument, StatusDocument } from 'svc-api';
import { head, sync } from '../data/live.ts';
import { get } from '../data/read.ts';
import { type Reading, useRead } from '../data/use-read.ts';
import { bytes, coins, hashrate, millis, whole } from '../format/figures.ts';
import { clockTime, duration } from '../format/times.ts';
import { Card, Fact, Facts, Screen, Show, Stat } from '../parts/layout.tsx';
import { LineChart } from '../parts/line-chart.tsx';
import { SignedMark } from '../parts/proof.tsx';
import { Code } from '../parts/text.tsx';

const CUTS_BETWEEN_READS = 5;

const CHARTS: readonly (readonly [string, string, (value: number) => string])[] = [
  ['cut_time', 'Cut time', millis],
  ['transactions', 'Transactions a cut', (value) => whole(value)],
  ['blocks', 'Registered blocks a cut', (value) => whole(value)],
  ['hashrate', 'Hash rate', hashrate],
  ['fees', 'Fees of a cut', (value) => `${coins(BigInt(Math.round(value)))} coins`],
  ['mempool', 'Waiting transactions', (value) => whole(value)],
];

export function NodeScreen(): JSX.Element {
  const revision = Math.floor((head.value?.cut.height ?? 0) / CUTS_BETWEEN_READS);
  const status = useRead<StatusDocument>(get('/v1/node/status'), revision);
  const identity = useRead<NodeIdentityDocument>(get('/v1/node/identity'));
  const series = CHARTS.map(([metric]) =>
    useRead<ChainSeries>(get(`/v1/chain/series?metric=${metric}&step=1&limit=120`), revision),
  );
  return (
    <Screen
      title="Node"
      over="The one that served this page"
      aside={<SignedMark reading={status} />}
      readings={[status, identity, ...series]}
    >
      <Show reading={status} lines={6}>
        {(document) => <Status status={document} identity={identity} />}
      </Show>
      <div class="columns charts">
        {CHARTS.map(([metric, label, format], place) => (
          <Card key={metric}>
            <Chart label={label} format={format} reading={series[place] as Reading<ChainSeries>} />
          </Card>
        ))}
      </div>
    </Screen>
  );
}

function Chart(props: {
  label: string;
  format: (value: number) => string;
  reading: Reading<ChainSeries>;
}): JSX.Element {
  return (
    <Show reading={props.reading} lines={5}>
      {({ points }) => (
        <LineChart
          label={props.label}
          points={points.map(({ time_millis, value }) => ({ x: time_millis, y: Number(value) }))}
          formatX={clockTime}
          formatY={props.format}
          empty={`${props.label}: the node has not seen enough cuts yet.`}
        />
      )}
    </Show>
  );
}

function Status(props: {
  status: StatusDocument;
  identity: Reading<NodeIdentityDocument>;
}): JSX.Element {
  const { status, identity } = props;
  const { validator } = status;
  const behind = sync.value?.behind_by ?? 0;
  return (
    <>
      <dl class="stats">
        <Stat
          name="State"
          value={status.synced ? 'synced' : 'catching up'}
          note={behind === 0 ? 'at the head' : `${whole(behind)} cuts behind`}
        />
        <Stat
          name="Peers"
          value={whole(status.peers.inbound + status.peers.outbound)}
          note={`${status.peers.inbound} in, ${status.peers.outbound} out`}
        />
        <Stat
          name="Mempool"
          value={whole(status.mempool.transactions)}
          note={bytes(status.mempool.bytes)}
        />
        <Stat
          name="Work pool"
          value={whole(status.work_pool_blocks)}
          note="blocks that no cut has registered"
        />
        <Stat
          name="Running for"
          value={duration(status.uptime_seconds)}
          note={`release ${status.version}`}
        />
      </dl>
      {status.update_required || status.update_announced ? (
        <section class="card failure" role="alert">
          <h2>{status.update_required ? 'This node must be updated' : 'A newer release is out'}</h2>
          <p>
            {status.update_required
              ? 'The network follows rules that this release does not know; the node has stopped.'
              : 'A peer runs a newer release than this node.'}
          </p>
        </section>
      ) : null}
      <Card>
        <Facts>
          <Fact name="Network">{status.network}</Fact>
          <Fact name="Keeps">
            {status.storage_mode === 'archive' ? 'everything' : status.storage_mode}
          </Fact>
          <Fact name="Validator">
            {validator === null
              ? 'it signs nothing'
              : `${validator.state}${validator.committee ? ', in the committee' : ''}`}
          </Fact>
          <Fact name="Chain" isWide>
            <Code text={status.chain_id} />
          </Fact>
          <Fact name="Identity, which signs answers" isWide>
            {identity.document === undefined ? '…' : <Code text={identity.document.identity} />}
          </Fact>
        </Facts>
      </Card>
    </>
  );
}
