/**
 * What waits: figures of the whole mempool, and the transactions this tab has seen arrive, as areas by their mass.
 */

import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChainSeries, PendingTransaction } from 'svc-api';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { Arrivals } from '../data/arrivals.ts';
import { follow, mempool } from '../data/live.ts';
import { nowMillis } from '../data/now.ts';
import { get } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { bytes, feeRate, whole } from '../format/figures.ts';
import { nextBlock } from '../format/next-block.ts';
import { Card, Loading, Screen, Stat, Table } from '../parts/layout.tsx';
import { SignedMark } from '../parts/proof.tsx';
import { Ago, Amount, Id } from '../parts/text.tsx';
import { Treemap, type TreemapItem } from '../parts/treemap.tsx';

/** As many as a frame has time to lay out when all of them change at once. */
const LISTED = 25;
const SERIES_MILLIS = 5_000;

type Waiting = readonly PendingTransaction[];

/** Transactions that arrived since the screen was opened and still wait. */
function useArrivals(): { waiting: Waiting; isOffered: boolean } {
  const [waiting, setWaiting] = useState<Waiting>([]);
  const [isOffered, setOffered] = useState(true);
  useEffect(() => {
    const arrivals = new Arrivals({ draw: setWaiting, clock: SYSTEM_CLOCK });
    const end = follow(
      { topic: 'mempool_transactions' },
      {
        onEvent: (event) => arrivals.onEvent(event),
        onResync: () => arrivals.clear(),
        onRefused: () => setOffered(false),
      },
    );
    return () => {
      end();
      arrivals.stop();
    };
  }, []);
  return { waiting, isOffered };
}

/** In the order in which they are shown: the best paid of the next block first, then those that would wait on. */
interface Ordered {
  readonly rows: readonly PendingTransaction[];
  /** How many of them the next block would carry. */
  readonly next: number;
  readonly items: readonly TreemapItem[];
}

function inOrder(waiting: Waiting): Ordered {
  const sized = waiting
    .map((row) => {
      const mass = Number(row.mass);
      return { row, mass, bytes: row.bytes, rate: mass === 0 ? 0 : Number(row.fee) / mass };
    })
    .sort((a, b) => b.rate - a.rate);
  const taken = nextBlock(sized);
  const ordered = [
    ...sized.filter((_, place) => taken.has(place)),
    ...sized.filter((_, place) => !taken.has(place)),
  ];
  return {
    rows: ordered.map(({ row }) => row),
    next: taken.size,
    items: ordered.map(({ row, mass, rate }, place) => ({
      id: row.transaction_id,
      size: mass,
      weight: rate,
      isBeyond: place >= taken.size,
    })),
  };
}

export function MempoolScreen(): JSX.Element {
  const pool = mempool.value;
  const { waiting, isOffered } = useArrivals();
  const series = useRead<ChainSeries>(
    get('/v1/chain/series?metric=mempool&step=1&limit=120'),
    Math.floor(nowMillis.value / SERIES_MILLIS),
  );
  const { rows, next, items } = useMemo(() => inOrder(waiting), [waiting]);
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
            area is mass; the darker, the more is paid; left of the line: the next block
          </small>
        }
      >
        {isOffered ? (
          <Treemap
            label="Waiting transactions"
            items={items}
            empty={
              pool !== undefined && pool.transactions > 0
                ? `${whole(pool.transactions)} wait since before this screen was opened. What arrives from now on is drawn here.`
                : 'Nothing waits. What arrives is drawn here until a block carries it.'
            }
          />
        ) : (
          <p class="empty">
            This node does not tell strangers which transactions wait; the figures above are all it
            gives.
          </p>
        )}
      </Card>
      <Card
        title="Seen by this tab"
        more={
          <small data-next={next}>
            the next block would carry {whole(next)} of {whole(rows.length)}
          </small>
        }
      >
        <Table
          caption="Waiting transactions, the best paid first"
          rows={rows.slice(0, LISTED)}
          keyOf={({ transaction_id }) => transaction_id}
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
