/**
 * What a pool owes an address, what it was paid, and what its workers do.
 */
import type { JSX } from 'preact';
import { get } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { hashrate, whole } from '../format/figures.ts';
import { Card, Fact, Facts, Screen, Show, Stat, Table } from '../parts/layout.tsx';
import { Ago, Amount, Code, Copy } from '../parts/text.tsx';
import { PayoutTable } from './books-screens.tsx';
import { DayOfWork } from './day.tsx';
import type { PoolHistory, PoolMiner } from './documents.ts';
import { OnChain, Worker } from './names.tsx';
import { pulse } from './pulse.ts';

export function MinerScreen({ address }: { address: string }): JSX.Element {
  const name = encodeURIComponent(address);
  const reading = useRead<PoolMiner>(get(`/v1/miners/${name}`), pulse.value);
  const history = useRead<PoolHistory>(get(`/v1/miners/${name}/history`), pulse.value);
  if (reading.failure?.status === 404)
    return (
      <Screen title="Miner" over="At this pool" readings={[reading]}>
        <p class="lead">
          No shares of this address have come to this pool yet: <Code text={address} />
        </p>
      </Screen>
    );
  return (
    <Screen title="Miner" over="At this pool" readings={[reading, history]}>
      <Show reading={reading} lines={8}>
        {(miner) => <MinerFacts miner={miner} />}
      </Show>
      <Show reading={history} lines={5}>
        {(document) => <DayOfWork history={document} />}
      </Show>
      <Show reading={reading}>{(miner) => <Workers miner={miner} />}</Show>
    </Screen>
  );
}

function MinerFacts({ miner }: { miner: PoolMiner }): JSX.Element {
  const rate = miner.workers.reduce((sum, worker) => sum + worker.hashrate, 0);
  return (
    <>
      {miner.held === null ? null : (
        <section class="card failure" role="alert">
          <h2>This address is not paid</h2>
          <p>{miner.held}</p>
        </section>
      )}
      <Card>
        <Facts>
          <Fact name="Address" isWide>
            <OnChain kind="address" id={miner.address} />
            <Copy text={miner.address} what="the address" />
          </Fact>
        </Facts>
      </Card>
      <dl class="stats">
        <Stat name="Balance" value={<Amount atoms={miner.balance} />} note="coins, not yet paid" />
        <Stat name="Earned" value={<Amount atoms={miner.earned} />} note="coins in all" />
        <Stat name="Hash rate" value={hashrate(rate)} note="over a minute" />
        <Stat name="Workers" value={whole(miner.workers.length)} />
      </dl>
    </>
  );
}

function Workers({ miner }: { miner: PoolMiner }): JSX.Element {
  return (
    <div class="columns">
      <Card title="Workers">
        <Table
          caption="Workers of this miner"
          rows={miner.workers}
          keyOf={({ worker }) => worker}
          empty="No worker has sent a share."
          columns={[
            { name: 'Worker', cell: ({ worker }) => <Worker name={worker} /> },
            { name: 'Hash rate', kind: 'number', cell: (worker) => hashrate(worker.hashrate) },
            {
              name: 'Shares',
              kind: 'number',
              isMinor: true,
              cell: ({ shares }) => whole(BigInt(shares)),
            },
            {
              name: 'Last share',
              cell: ({ last_share_millis }) => <Ago millis={last_share_millis} />,
            },
          ]}
        />
      </Card>
      <Card title="Payouts">
        <PayoutTable payouts={miner.payouts} />
      </Card>
    </div>
  );
}
