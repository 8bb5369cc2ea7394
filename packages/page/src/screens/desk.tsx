/**
 * The desk of a development network: its accounts, payments signed in the tab, a miner in the tab, cuts on demand,
 * snapshots and faults.
 * No other network has the routes that it uses.
 */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AddressBalances } from 'svc-api';
import { href } from '../app/router.ts';
import { backAt, DEV_REQUEST, type DevDocument } from '../data/dev-network.ts';
import { head } from '../data/live.ts';
import { post, readDocument } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { whole } from '../format/figures.ts';
import { Said, useDoing } from '../parts/doing.tsx';
import { PayForm, type Payment } from '../parts/form.tsx';
import { Card, Screen, Show, Table } from '../parts/layout.tsx';
import { Mine } from '../parts/mine.tsx';
import { Amount, Id } from '../parts/text.tsx';
import { payFromTab } from '../prove/prover.ts';

const MINER_ACCOUNT = 9;

export function DeskScreen(): JSX.Element {
  const reading = useRead<DevDocument>(DEV_REQUEST);
  return (
    <Screen title="Desk" over="This development network" readings={[reading]}>
      <p class="warning" role="note">
        The words of these accounts are public. Anything of value sent to them is lost.
      </p>
      <Show reading={reading} lines={8}>
        {(network) => (
          <>
            <div class="columns">
              <Pay network={network} />
              <Mine network={network} />
              <Cuts />
              <Snapshots />
              <Faults validators={network.validators} />
            </div>
            <Accounts network={network} />
          </>
        )}
      </Show>
    </Screen>
  );
}

function Pay({ network }: { network: DevDocument }): JSX.Element {
  const [from, setFrom] = useState(0);
  const pay = ({ to, atoms, note }: Payment): Promise<string> => {
    const payloadHex = Array.from(new TextEncoder().encode(note), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join('');
    return payFromTab({ words: network.words, from, to, atoms, payloadHex });
  };
  return (
    <PayForm
      title="Pay, signed in this tab"
      to={network.accounts[1] ?? ''}
      amount="1.25"
      noteLabel="Words for the receiver, public"
      pay={pay}
    >
      <label class="field">
        From
        <select
          value={String(from)}
          onChange={(event) => setFrom(Number(event.currentTarget.value))}
        >
          {network.accounts.map((account, place) => (
            <option key={account} value={String(place)}>
              account {place}
            </option>
          ))}
        </select>
      </label>
    </PayForm>
  );
}

function Cuts(): JSX.Element {
  const doing = useDoing();
  const act = (path: string, body: object): void =>
    doing.start(async () => {
      const { finalized_height } = await readDocument<{ finalized_height: number }>(
        post(path, body),
      );
      return (
        <>
          The head is <a href={href('cut', finalized_height)}>{whole(finalized_height)}</a> now.
        </>
      );
    });
  return (
    <Card title="Make cuts now">
      <p class="actions">
        {[1, 10, 100].map((cuts) => (
          <button
            key={cuts}
            type="button"
            disabled={doing.isBusy}
            onClick={() => act('/v1/dev/mine', { cuts })}
          >
            {cuts === 1 ? 'One cut' : `${cuts} cuts`}
          </button>
        ))}
        <button
          type="button"
          disabled={doing.isBusy}
          onClick={() => act('/v1/dev/advance', { epochs: 1 })}
        >
          Next epoch
        </button>
      </p>
      <p class="soft">The clock of the network jumps to the time of each cut.</p>
      <Said doing={doing} />
    </Card>
  );
}

function Snapshots(): JSX.Element {
  const [names, setNames] = useState<readonly { name: string; height: number }[]>([]);
  const doing = useDoing();
  const take = (): void =>
    doing.start(async () => {
      const height = head.value?.cut.height ?? 0;
      const { snapshot, starts } = await readDocument<{ snapshot: string; starts: number }>(
        post('/v1/dev/snapshot', {}),
      );
      await backAt(starts);
      setNames((before) => [...before, { name: snapshot, height }]);
      return `Kept as ${snapshot}.`;
    });
  const revert = (name: string): void =>
    doing.start(async () => {
      const { starts } = await readDocument<{ starts: number }>(
        post('/v1/dev/revert', { snapshot: name }),
      );
      await backAt(starts);
      return `Back at ${name}. What this browser has certified since is no longer so: the marks will tell, until you forget the pinned cut.`;
    });
  return (
    <Card title="Snapshots">
      <p class="actions">
        <button type="button" disabled={doing.isBusy} onClick={take}>
          Take a snapshot
        </button>
        {names.map(({ name, height }) => (
          <button key={name} type="button" disabled={doing.isBusy} onClick={() => revert(name)}>
            Back to {name} (about cut {whole(height)})
          </button>
        ))}
      </p>
      <p class="soft">The node restarts; this page notices, and comes back with it.</p>
      <Said doing={doing} />
    </Card>
  );
}

function Faults({ validators }: { validators: readonly string[] }): JSX.Element {
  const [isPaused, setPaused] = useState(false);
  const doing = useDoing();
  const act = (name: string, body: object, said: string): void =>
    doing.start(async () => {
      await readDocument(post(`/v1/dev/${name}`, body));
      return said;
    });
  const last = validators.at(-1);
  return (
    <Card title="Faults">
      <p class="actions">
        <button
          type="button"
          disabled={doing.isBusy}
          onClick={() => {
            act(
              'pause_finality',
              { on: !isPaused },
              isPaused ? 'Cuts go on.' : 'No cut is decided now.',
            );
            setPaused(!isPaused);
          }}
        >
          {isPaused ? 'Let cuts go on' : 'Pause finality'}
        </button>
        <button
          type="button"
          disabled={doing.isBusy}
          onClick={() =>
            act('close_sockets', {}, 'Every socket was closed; this page has opened a new one.')
          }
        >
          Close sockets
        </button>
        {last === undefined ? null : (
          <button
            type="button"
            disabled={doing.isBusy}
            onClick={() =>
              act(
                'miss_cuts',
                { validator_id: last, cuts: 30 },
                'The last validator is away for 30 cuts.',
              )
            }
          >
            Keep a validator away
          </button>
        )}
      </p>
      <p class="soft">
        What programs should be tried against. All of them end when the network does.
      </p>
      <Said doing={doing} />
    </Card>
  );
}

function Accounts({ network }: { network: DevDocument }): JSX.Element {
  const height = head.value?.cut.height;
  const reading = useRead<AddressBalances>(
    post('/v1/address/balances', { addresses: network.accounts }),
    height,
  );
  return (
    <Card title="Accounts" more={<code class="words">{network.words}</code>}>
      <Show reading={reading}>
        {({ balances }) => (
          <Table
            caption="Accounts of the network"
            rows={balances.map((row, place) => ({ ...row, place }))}
            keyOf={({ address }) => address}
            empty="There are none."
            columns={[
              {
                name: 'No.',
                cell: ({ place }) => (
                  <>
                    {place}
                    {place === MINER_ACCOUNT ? <span class="minor"> · paid for work</span> : null}
                  </>
                ),
              },
              { name: 'Address', cell: ({ address }) => <Id kind="address" id={address} /> },
              { name: 'Outputs', kind: 'number', isMinor: true, cell: ({ utxos }) => whole(utxos) },
              {
                name: 'Balance',
                kind: 'number',
                cell: ({ balance }) => <Amount atoms={balance} />,
              },
            ]}
          />
        )}
      </Show>
    </Card>
  );
}
