/**
 * Pending transactions: figures of the whole mempool, and the transactions this tab has seen arrive, as areas by their mass.
 */

import type { JSX } from 'preact';
import type { ChainSeries } from 'svc-api';
import { mempool } from '../data/live.ts';
import { nowMillis } from '../data/now.ts';
import { get } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { bytes, feeRate, whole } from '../format/figures.ts';
import { Card, Loading, Screen, Stat, Table } from '../parts/layout.tsx';
import { SignedMark } from '../parts/proof.tsx';
import { Ago, Amount, Id } from '../parts/text.tsx';
import { useWaiting, type Waiting, WaitingAreas } from '../waiting/waiting-areas.tsx';

const SERIES_MILLIS = 5_000;

/** The text in place of an empty drawing. */
function emptyText({ state }: Waiting, transactions: number): string {
  if (state === 'asking') return 'Asking the node for what arrives …';
  if (state === 'refused')
    return 'This node does not tell strangers which transactions wait; the figures above are all it gives.';
  if (state === 'failed')
    return 'This browser cannot draw what waits; the figures above are all there is.';
  if (transactions === 0)
    return 'Nothing waits. What arrives is drawn here until a block carries it.';
  return `${whole(transactions)} wait since before this screen was opened. What arrives from now on is drawn here.`;
}

export function MempoolScreen(): JSX.Element {
  const pool = mempool.value;
  const waiting = useWaiting();
  const { rows, count, next } = waiting;
  const series = useRead<ChainSeries>(
    get('/v1/chain/series?metric=mempool&step=1&limit=120'),
    Math.floor(nowMillis.value / SERIES_MILLIS),
  );
  return (
    <Screen
      title="Mempool"
      over="Waiting for a block"
      aside={<SignedMark reading={series} />}
      readings={[series]}
    >
      {pool === undefined ? (
        <Loading lines={2} />
      ) : (
        <dl class="stats">
          <Stat name="Transactions" value={whole(pool.transactions)} />
          <Stat name="Size" value={bytes(pool.bytes)} />
          <Stat name="Mass" value={whole(BigInt(pool.mass))} />
          <Stat
            name="Least fee rate"
            value={whole(BigInt(pool.min_fee_per_mass))}
            note="atoms a mass"
          />
          <Stat
            name="Oldest"
            value={pool.oldest_millis === null ? '–' : <Ago millis={pool.oldest_millis} />}
          />
        </dl>
      )}
      <Card
        title="By fee rate"
        more={
          <small>
            area is mass; the stronger, the more is paid; left of the line: the next block
          </small>
        }
      >
        <WaitingAreas waiting={waiting}>{emptyText(waiting, pool?.transactions ?? 0)}</WaitingAreas>
      </Card>
      <Card
        title="Seen by this tab"
        more={
          <small data-next={next}>
            the next block would carry {whole(next)} of {whole(count)}
          </small>
        }
      >
        <Table
          caption="Waiting transactions, the best paid first"
          rows={rows}
          keyOf={(_, place) => place}
          empty="None arrived since the screen was opened."
          classOf={(row) => (row === rows[next] ? 'after-line' : '')}
          columns={[
            { name: 'Transaction', cell: (row) => <Id kind="tx" id={row.transaction_id} /> },
            { name: 'Seen', cell: (row) => <Ago millis={row.first_seen_millis} /> },
            {
              name: 'Fee',
              kind: 'number',
              isMinor: true,
              cell: (row) => <Amount atoms={row.fee} />,
            },
            { name: 'Atoms a mass', kind: 'number', cell: (row) => feeRate(row.fee, row.mass) },
          ]}
        />
      </Card>
    </Screen>
  );
}
