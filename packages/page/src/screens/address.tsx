/**
 * One address: what it has, proven; what waits, apart from it; what it received and spent.
 */

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type {
  AddressBalance,
  AddressHistory,
  AddressUtxos,
  KeysRegistered,
  MempoolPending,
  StakingPositions,
} from 'svc-api';
import { follow } from '../data/live.ts';
import { get, post } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { whole } from '../format/figures.ts';
import { Card, Fact, Facts, Screen, Show, Table, Tabs } from '../parts/layout.tsx';
import { Proof } from '../parts/proof.tsx';
import { Qr } from '../parts/qr.tsx';
import { Amount, Badge, Code, Copy, Height, Id, short } from '../parts/text.tsx';
import { wordsOf } from '../prove/prover.ts';

const TABS = ['History', 'Unspent outputs', 'Staking'] as const;

export function AddressScreen({ address }: { address: string }): JSX.Element {
  const [tab, setTab] = useState<string>(TABS[0]);
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    const again = (): void => setRevision((before) => before + 1);
    return follow(
      { topic: 'addresses', addresses: [address] },
      { onEvent: again, onResync: again },
    );
  }, [address]);
  const balance = useRead<AddressBalance>(get(`/v1/address/${address}/balance`), revision);
  const pending = useRead<MempoolPending>(
    post('/v1/mempool/pending', { addresses: [address] }),
    revision,
  );
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

export function Pending({
  address,
  pending,
}: {
  address: string;
  pending: MempoolPending | undefined;
}): JSX.Element | null {
  if (pending === undefined || pending.transactions.length === 0) return null;
  const sum = (rows: readonly { address: string; amount: string }[]) =>
    rows
      .filter((row) => row.address === address)
      .reduce((total, row) => total + BigInt(row.amount), 0n);
  const incoming = pending.transactions.reduce((total, each) => total + sum(each.received), 0n);
  const outgoing = pending.transactions.reduce((total, each) => total + sum(each.spent), 0n);
  return (
    <div class="pending">
      <p>
        <strong>Waiting, not part of the balance:</strong> <Amount atoms={incoming} sign="+" />{' '}
        <Amount atoms={outgoing} sign="−" />
      </p>
      {pending.transactions.slice(0, 5).map(({ transaction_id }) => (
        <Id key={transaction_id} kind="tx" id={transaction_id} />
      ))}
    </div>
  );
}

export function Identity({
  address,
  keys,
}: {
  address: string;
  keys: KeysRegistered | undefined;
}): JSX.Element {
  const [words, setWords] = useState<string | undefined>(undefined);
  useEffect(() => {
    void wordsOf(address).then(setWords);
  }, [address]);
  const key = keys?.keys[0];
  return (
    <Card kind="identity">
      <Qr text={address.toUpperCase()} label={`QR code of ${address}`} />
      <div>
        <p class="whole">
          <code>{address}</code>
          <Copy text={address} what="the address" />
        </p>
        <Facts>
          <Fact name="To compare by voice" isWide>
            {words === undefined ? '…' : <span class="words">{words}</span>}
          </Fact>
          <Fact name="Key">
            {key === undefined ? (
              '…'
            ) : key.registered ? (
              <Badge tone="good">registered</Badge>
            ) : (
              <Badge tone="">not registered</Badge>
            )}
            {key === undefined || key.registered_height === null ? null : (
              <>
                {' '}
                at <Height value={key.registered_height} />
              </>
            )}
          </Fact>
        </Facts>
      </div>
    </Card>
  );
}

export function History({ address, revision }: { address: string; revision: number }): JSX.Element {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const path = `/v1/address/${address}/history?limit=25${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
  const reading = useRead<AddressHistory>(get(path), cursor === undefined ? revision : 0);
  return (
    <Show reading={reading}>
      {({ events, next_cursor }) => (
        <>
          <Table
            caption="What the address received and spent"
            rows={events}
            keyOf={({ kind, outpoint }) =>
              `${kind}${outpoint.transaction_id}${outpoint.output_index}`
            }
            empty="Nothing has happened at this address."
            columns={[
              {
                name: 'Cut',
                kind: 'number',
                cell: ({ finalized_height }) => <Height value={finalized_height} />,
              },
              {
                name: 'Transaction',
                cell: ({ kind, source, transaction_id }) =>
                  kind === 'spent' || source === 'regular' ? (
                    <Id kind="tx" id={transaction_id} />
                  ) : (
                    <span class="soft">{source.replaceAll('_', ' ')}</span>
                  ),
              },
              {
                name: 'Amount',
                kind: 'number',
                cell: ({ kind, amount }) => (
                  <span class={kind}>
                    <Amount atoms={amount} sign={kind === 'received' ? '+' : '−'} />
                  </span>
                ),
              },
            ]}
          />
          <p class="more">
            {cursors.length === 0 ? null : (
              <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
                Newer
              </button>
            )}
            {next_cursor === undefined ? null : (
              <button type="button" onClick={() => setCursors([...cursors, next_cursor])}>
                Older
              </button>
            )}
          </p>
        </>
      )}
    </Show>
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
