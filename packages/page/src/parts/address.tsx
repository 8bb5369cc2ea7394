/**
 * What the screen of an address and the wallet of the tab both show of an address, read again whenever something happens
 * at the address.
 */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AddressBalance, AddressHistory, KeysRegistered, MempoolPending } from 'svc-api';
import { follow } from '../data/live.ts';
import { get, post } from '../data/read.ts';
import { type Reading, useRead } from '../data/use-read.ts';
import { wordsOf } from '../prove/prover.ts';
import { Card, Fact, Facts, Show, Table } from './layout.tsx';
import { Pager, usePages } from './pager.tsx';
import { Qr } from './qr.tsx';
import { Amount, Badge, Change, Copy, Height, Id } from './text.tsx';

export interface FollowedAddress {
  /** One more after every event of the address. */
  readonly revision: number;
  readonly balance: Reading<AddressBalance>;
  readonly pending: Reading<MempoolPending>;
}

export function useAddress(address: string): FollowedAddress {
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    const again = (): void => setRevision((before) => before + 1);
    return follow(
      { topic: 'addresses', addresses: [address] },
      { onEvent: again, onResync: again },
    );
  }, [address]);
  const asked = { addresses: [address] };
  return {
    revision,
    balance: useRead<AddressBalance>(get(`/v1/address/${address}/balance`), revision),
    pending: useRead<MempoolPending>(post('/v1/mempool/pending', asked), revision),
  };
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
  const pages = usePages<AddressHistory>(`/v1/address/${address}/history`, revision);
  return (
    <Show reading={pages.reading}>
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
              { name: 'Amount', kind: 'number', cell: (event) => <Change {...event} /> },
            ]}
          />
          <Pager pages={pages} rows={events.length} total={null} next={next_cursor} />
        </>
      )}
    </Show>
  );
}
