/**
 * One address: its proven balance, its pending payments, and what it received and spent.
 */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AddressUtxos, KeysRegistered, StakingPositions } from 'svc-api';
import { get, post } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { whole } from '../format/figures.ts';
import { History, Identity, Pending, useAddress } from '../parts/address.tsx';
import { Card, Screen, Show, Table, Tabs } from '../parts/layout.tsx';
import { Proof } from '../parts/proof.tsx';
import { Amount, Badge, Code, Height, Id, short } from '../parts/text.tsx';

const TABS = ['History', 'Unspent outputs', 'Staking'] as const;

export function AddressScreen({ address }: { address: string }): JSX.Element {
  const [tab, setTab] = useState<string>(TABS[0]);
  const { revision, balance, pending } = useAddress(address);
  const keys = useRead<KeysRegistered>(
    post('/v1/keys/registered', { addresses: [address] }),
    revision,
  );
  return (
    <Screen
      title={short(address, 10)}
      name={`Address ${short(address, 6)}`}
      over="Address"
      aside={
        <Proof
          claim={balance.document === undefined ? undefined : { kind: 'balance', address }}
          revision={balance.document?.balance}
        />
      }
      readings={[balance, pending, keys]}
    >
      <Show reading={balance} lines={6}>
        {(document) => (
          <>
            <div class="address">
              <Card kind="hero">
                <p class="over">Balance at cut {whole(document.indexed_height)}</p>
                <p class="big">
                  <Amount atoms={document.balance} /> <small>coins</small>
                </p>
                <p class="soft">
                  in {whole(document.utxos)} unspent {document.utxos === 1 ? 'output' : 'outputs'}
                </p>
                <Pending address={address} pending={pending.document} />
              </Card>
              <Identity address={address} keys={keys.document} />
            </div>
            <Card>
              <Tabs label="Parts of the address" names={TABS} selected={tab} onSelect={setTab} />
              {tab === 'History' ? <History address={address} revision={revision} /> : null}
              {tab === 'Unspent outputs' ? <Outputs address={address} revision={revision} /> : null}
              {tab === 'Staking' ? <Positions address={address} revision={revision} /> : null}
            </Card>
          </>
        )}
      </Show>
    </Screen>
  );
}

function Outputs({ address, revision }: { address: string; revision: number }): JSX.Element {
  const reading = useRead<AddressUtxos>(get(`/v1/address/${address}/utxos?limit=100`), revision);
  return (
    <Show reading={reading}>
      {({ utxos, next_cursor }) => (
        <>
          <Table
            caption="Unspent outputs"
            rows={utxos}
            keyOf={({ outpoint }) => `${outpoint.transaction_id}:${outpoint.output_index}`}
            empty="It has none."
            columns={[
              {
                name: 'Output',
                cell: ({ outpoint }) => (
                  <Code text={`${outpoint.transaction_id}:${outpoint.output_index}`} />
                ),
              },
              { name: 'Source', isMinor: true, cell: ({ source }) => source.replaceAll('_', ' ') },
              {
                name: 'Since',
                kind: 'number',
                cell: ({ finalized_height }) => <Height value={finalized_height} />,
              },
              { name: 'Amount', kind: 'number', cell: ({ amount }) => <Amount atoms={amount} /> },
            ]}
          />
          {next_cursor === undefined ? null : <p class="soft">The first hundred are shown.</p>}
        </>
      )}
    </Show>
  );
}

function Positions({ address, revision }: { address: string; revision: number }): JSX.Element {
  const reading = useRead<StakingPositions>(
    post('/v1/staking/positions', { addresses: [address] }),
    revision,
  );
  return (
    <Show reading={reading}>
      {({ positions }) => (
        <Table
          caption="Staking positions"
          rows={positions}
          keyOf={({ position }) => position}
          empty="It stakes nothing."
          columns={[
            { name: 'Validator', cell: ({ validator }) => <Id kind="validator" id={validator} /> },
            { name: 'Kind', isMinor: true, cell: ({ kind }) => kind.replaceAll('_', ' ') },
            {
              name: 'State',
              cell: ({ state }) => (
                <Badge tone={state === 'bonded' ? 'good' : 'wait'}>{state}</Badge>
              ),
            },
            {
              name: 'Principal',
              kind: 'number',
              cell: ({ principal }) => <Amount atoms={principal} />,
            },
          ]}
        />
      )}
    </Show>
  );
}
