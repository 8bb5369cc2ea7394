/**
 * What a pool's books hold: blocks, rounds and payouts, the newest of each.
 */
import type { JSX } from 'preact';
import { get } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { Card, Screen, Show, Table } from '../parts/layout.tsx';
import { Amount, Badge, Code } from '../parts/text.tsx';
import type { PoolBlocks, PoolPayout, PoolPayouts, PoolRounds } from './documents.ts';
import { Miner, OnChain, Round, Worker } from './names.tsx';
import { pulse } from './pulse.ts';

const TONES: Readonly<Record<string, string>> = {
  found: 'wait',
  open: 'wait',
  sent: 'wait',
  paid: 'good',
  final: 'good',
  expired: 'bad',
  refused: 'bad',
  conflict: 'bad',
};

function State({ state }: { state: string }): JSX.Element {
  return <Badge tone={TONES[state] ?? ''}>{state}</Badge>;
}

export function BlockTable({ blocks }: PoolBlocks): JSX.Element {
  return (
    <Table
      caption="Blocks that the pool found, the newest first"
      rows={blocks}
      keyOf={({ block_id }) => block_id}
      empty="No block was found yet."
      columns={[
        { name: 'Block', cell: ({ block_id }) => <OnChain kind="block" id={block_id} /> },
        {
          name: 'Found by',
          cell: ({ address, worker }) => (
            <>
              <Miner address={address} /> <Worker name={worker} />
            </>
          ),
        },
        { name: 'Way', isMinor: true, cell: ({ mode }) => (mode === 'solo' ? 'alone' : 'PPLNS') },
        {
          name: 'Anchor',
          kind: 'number',
          isMinor: true,
          cell: ({ anchor_height }) => anchor_height.toLocaleString('en'),
        },
        { name: 'State', cell: ({ state }) => <State state={state} /> },
        { name: 'Round', kind: 'number', cell: ({ round }) => <Round round={round} /> },
      ]}
    />
  );
}

export function PayoutTable({ payouts }: { payouts: readonly PoolPayout[] }): JSX.Element {
  return (
    <Table
      caption="Payouts, the newest first"
      rows={payouts}
      keyOf={({ payout }) => String(payout)}
      empty="Nothing was paid out yet."
      columns={[
        { name: 'Payout', kind: 'number', cell: ({ payout }) => payout },
        { name: 'Amount', kind: 'number', cell: ({ atoms }) => <Amount atoms={atoms} /> },
        { name: 'State', cell: ({ state }) => <State state={state} /> },
        {
          name: 'Transaction',
          cell: ({ transaction }) =>
            transaction === null ? '–' : <OnChain kind="tx" id={transaction} />,
        },
        {
          name: 'Carries the root of',
          kind: 'number',
          isMinor: true,
          cell: ({ round }) => <Round round={round} />,
        },
      ]}
    />
  );
}

export function PoolBlocksScreen(): JSX.Element {
  const reading = useRead<PoolBlocks>(get('/v1/blocks'), pulse.value);
  return (
    <Screen title="Blocks" over="Found by miners of this pool" readings={[reading]}>
      <Card>
        <Show reading={reading}>{({ blocks }) => <BlockTable blocks={blocks} />}</Show>
      </Card>
    </Screen>
  );
}

export function PoolRoundsScreen(): JSX.Element {
  const reading = useRead<PoolRounds>(get('/v1/rounds'), pulse.value);
  return (
    <Screen
      title="Rounds"
      over="A reward of the ledger, divided by work; svc-miner verify-round checks one"
      readings={[reading]}
    >
      <Card>
        <Show reading={reading}>
          {({ rounds }) => (
            <Table
              caption="Rounds, the newest first"
              rows={rounds}
              keyOf={({ round }) => String(round)}
              empty="No reward was divided yet."
              columns={[
                { name: 'Round', kind: 'number', cell: ({ round }) => <Round round={round} /> },
                { name: 'Block', cell: ({ block_id }) => <OnChain kind="block" id={block_id} /> },
                {
                  name: 'Paid at',
                  kind: 'number',
                  cell: ({ paid_height }) => paid_height.toLocaleString('en'),
                },
                { name: 'Root', isMinor: true, cell: ({ root }) => <Code text={root} /> },
              ]}
            />
          )}
        </Show>
      </Card>
    </Screen>
  );
}

export function PoolPayoutsScreen(): JSX.Element {
  const reading = useRead<PoolPayouts>(get('/v1/payouts'), pulse.value);
  return (
    <Screen title="Payouts" over="What the wallet of the pool paid" readings={[reading]}>
      <Card>
        <Show reading={reading}>{({ payouts }) => <PayoutTable payouts={payouts} />}</Show>
      </Card>
    </Screen>
  );
}
