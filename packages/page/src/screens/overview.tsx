/**
 * The chain at a glance: its head, proven; the last cuts as they come; its rate; the last executed transactions.
 */

import type { JSX } from 'preact';
import type { BlocksRecent, EmissionDocument, StatusDocument, TransactionsRecent } from 'svc-api';
import { href } from '../app/router.ts';
import { cuts, head, mempool, network, pace, rates } from '../data/live.ts';
import { get } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { eachOnce } from '../format/each-once.ts';
import {
  bytes,
  coins,
  hashrate,
  millis,
  percent,
  roundCoins,
  share,
  whole,
} from '../format/figures.ts';
import { duration } from '../format/times.ts';
import { CutStrip } from '../parts/cut-strip.tsx';
import { Card, Fact, Facts, Loading, Screen, Show, Stat, Table } from '../parts/layout.tsx';
import { Proof } from '../parts/proof.tsx';
import { OutcomeBadge, RewardBadge } from '../parts/states.tsx';
import { Ago, Amount, Height, Id } from '../parts/text.tsx';

const ROWS = 8;
/** Enough that as many different ones are among them while blocks repeat each other's. */
const READ = 5 * ROWS;

export function OverviewScreen(): JSX.Element {
  const now = head.value;
  const height = now?.cut.height;
  const moved = pace.value;
  const recent = useRead<TransactionsRecent>(get(`/v1/transactions/recent?limit=${READ}`), moved);
  const blocks = useRead<BlocksRecent>(get(`/v1/blocks/recent?limit=${ROWS}`), moved);
  const emission = useRead<EmissionDocument>(get('/v1/economics/emission'), now?.epoch);
  const status = useRead<StatusDocument>(get('/v1/node/status'), Math.floor(moved / 5));
  return (
    <Screen
      title={height === undefined ? 'Overview' : `Cut ${whole(height)}`}
      name="Overview"
      over={
        now === undefined ? (
          'Finalized'
        ) : (
          <>
            Finalized <Ago millis={now.time_millis} /> · epoch {whole(now.epoch)}
          </>
        )
      }
      aside={<Proof claim={now === undefined ? undefined : { kind: 'head' }} revision={moved} />}
      readings={[recent, blocks, emission, status]}
    >
      <CutStrip cuts={cuts.value} />
      <Figures />
      <div class="columns">
        <Card title="Latest transactions" more={<a href={href('mempool')}>Mempool</a>}>
          <Show reading={recent}>
            {({ transactions }) => (
              <Table
                caption="Transactions executed last"
                rows={eachOnce(transactions).slice(0, ROWS)}
                keyOf={(row) => row.transaction_id}
                empty="No transaction was executed yet."
                columns={[
                  { name: 'Transaction', cell: (row) => <Id kind="tx" id={row.transaction_id} /> },
                  {
                    name: 'Cut',
                    kind: 'number',
                    cell: (row) => <Height value={row.finalized_height} />,
                  },
                  {
                    name: 'Fee',
                    kind: 'number',
                    isMinor: true,
                    cell: (row) => <Amount atoms={row.fee} />,
                  },
                  { name: 'Outcome', cell: (row) => <OutcomeBadge outcome={row.outcome} /> },
                ]}
              />
            )}
          </Show>
        </Card>
        <Card title="Latest work blocks">
          <Show reading={blocks}>
            {({ blocks: rows }) => (
              <Table
                caption="Blocks registered last"
                rows={rows}
                keyOf={(row) => row.block_id}
                empty="No block was registered yet. Without miners cuts go on, and carry nothing."
                columns={[
                  { name: 'Block', cell: (row) => <Id kind="block" id={row.block_id} /> },
                  {
                    name: 'Registered',
                    kind: 'number',
                    cell: (row) => <Height value={row.registered_height} />,
                  },
                  {
                    name: 'Anchor',
                    kind: 'number',
                    isMinor: true,
                    cell: (row) => <Height value={row.anchor_height} />,
                  },
                  { name: 'Reward', cell: (row) => <RewardBadge state={row.reward.state} /> },
                ]}
              />
            )}
          </Show>
        </Card>
        <Card title="Emission" more={<a href={href('economics')}>Economics</a>}>
          <Show reading={emission}>{(document) => <Emission document={document} />}</Show>
        </Card>
        <Card title="This node" more={<a href={href('node')}>Details</a>}>
          <Show reading={status}>{(document) => <NodeFacts document={document} />}</Show>
        </Card>
      </div>
    </Screen>
  );
}

function Figures(): JSX.Element {
  const speed = rates.value;
  const pool = mempool.value;
  if (speed === undefined || pool === undefined) return <Loading lines={2} />;
  return (
    <dl class="stats">
      <Stat
        name="Cut time"
        value={millis(speed.cut_millis)}
        note={`over ${whole(speed.window_cuts)} cuts`}
      />
      <Stat
        name="Blocks a cut"
        value={Number(speed.blocks_per_cut).toFixed(2)}
        note={`${whole(speed.registered_blocks)} registered`}
      />
      <Stat
        name="Transactions a second"
        value={Number(speed.transactions_per_second).toFixed(2)}
        note={`${whole(speed.transactions)} finalized`}
      />
      <Stat name="Hash rate" value={hashrate(speed.hashrate)} note="from registered work" />
      <Stat
        name="Waiting"
        value={whole(pool.transactions)}
        note={pool.transactions === 0 ? 'the mempool is empty' : bytes(pool.bytes)}
      />
    </dl>
  );
}

function Emission({ document: emission }: { document: EmissionDocument }): JSX.Element {
  const total = BigInt(emission.issued) + BigInt(emission.to_come);
  const part = share(emission.issued, total);
  return (
    <>
      <div class="progress" role="img" aria-label={`${percent(part, 2)} of the emission is issued`}>
        <span style={{ width: `${Math.max(part * 100, 0.5)}%` }} />
      </div>
      <Facts>
        <Fact name="Issued">
          {roundCoins(emission.issued)} <small>of {roundCoins(total)} coins</small>
        </Fact>
        <Fact name="Subsidy of a cut">
          {coins(emission.subsidy)} <small>coins</small>
        </Fact>
        <Fact name="Next reduction">
          in {whole(emission.cuts_to_next_reduction)}{' '}
          <small>
            cuts, about{' '}
            {duration((emission.next_reduction_millis - (head.value?.time_millis ?? 0)) / 1_000)}
          </small>
        </Fact>
      </Facts>
    </>
  );
}

function NodeFacts({ document: status }: { document: StatusDocument }): JSX.Element {
  const peers = status.peers.inbound + status.peers.outbound;
  return (
    <Facts>
      <Fact name="State">{status.synced ? 'follows the chain' : 'is catching up'}</Fact>
      <Fact name="Peers">
        {whole(peers)}
        {peers === 0 && network.value === 'development' ? (
          <small> · a development network is alone</small>
        ) : null}
      </Fact>
      <Fact name="Release">{status.version}</Fact>
      <Fact name="Running for">{duration(status.uptime_seconds)}</Fact>
      <Fact name="Keeps">
        {status.storage_mode === 'archive' ? 'everything' : status.storage_mode}
      </Fact>
      <Fact name="Work pool">{whole(status.work_pool_blocks)} blocks</Fact>
    </Facts>
  );
}
