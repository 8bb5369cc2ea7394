/**
 * A wallet in the tab, for development and test networks: made, restored or opened from a file, with its balance proven,
 * payments signed and messages sealed here, and free coins on development networks. The keys stay in the worker.
 */
import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { readDevNetwork } from '../data/dev-network.ts';
import { network } from '../data/live.ts';
import { whole } from '../format/figures.ts';
import { History, Identity, Pending, useAddress } from '../parts/address.tsx';
import { Chats } from '../parts/chats.tsx';
import { Said, useDoing } from '../parts/doing.tsx';
import { Field, Form, PayForm, type Payment } from '../parts/form.tsx';
import { Card, Screen, Show } from '../parts/layout.tsx';
import { Proof, saveBytes } from '../parts/proof.tsx';
import { Amount, Id } from '../parts/text.tsx';
import { askWallet, payFromTab } from '../prove/prover.ts';
import type { OpenedWallet, WalletOrder } from '../prove/tab-wallet.ts';

const FILE_BYTES_MAX = 2 << 20;
const FAUCET_ATOMS = '10000000000';
const FAUCET_ACCOUNT = 0;

/** The wallet that is open in this tab, whichever screen is shown. */
const opened = signal<OpenedWallet | undefined>(undefined);

export function WalletScreen(): JSX.Element {
  const wallet = opened.value;
  if (network.value === 'mainnet') {
    return (
      <Screen title="No wallet here">
        <p class="lead">Keys of mainnet do not belong into a page. Use svc-wallet.</p>
      </Screen>
    );
  }
  return wallet === undefined ? <Closed /> : <Opened wallet={wallet} />;
}

function Warning(): JSX.Element {
  return (
    <p class="warning" role="note">
      For {network.value ?? 'test networks'} only, to try things out: the server of this page could
      take what is typed into it. The keys stay in a worker of this tab and are gone with it.
    </p>
  );
}

function Closed(): JSX.Element {
  return (
    <Screen title="Wallet" over="Keys in this tab">
      <Warning />
      <div class="columns">
        <OpenForm
          title="Make a wallet"
          button="Make it"
          orderOf={(password) => ({ action: 'make', password })}
        />
        <OpenFile />
        <Restore />
      </div>
    </Screen>
  );
}

/** Asks for a password and orders a wallet with it. */
function OpenForm(props: {
  title: string;
  button: string;
  orderOf: (password: string) => WalletOrder | undefined;
  children?: ComponentChildren;
}): JSX.Element {
  const [password, setPassword] = useState('');
  const doing = useDoing();
  const submit = (): void => {
    const order = props.orderOf(password);
    if (order === undefined) return;
    doing.start(async () => {
      const answer = await askWallet(order);
      if (answer.action === 'opened') opened.value = answer.wallet;
      return null;
    });
  };
  return (
    <Card title={props.title}>
      <Form onSubmit={submit}>
        {props.children}
        <Field
          label="Password of the file"
          value={password}
          onText={setPassword}
          input={{ type: 'password' }}
        />
        <button type="submit" class="primary" disabled={doing.isBusy || password === ''}>
          {props.button}
        </button>
      </Form>
      <Said doing={doing} />
    </Card>
  );
}

function OpenFile(): JSX.Element {
  const [file, setFile] = useState<{ name: string; bytes: Uint8Array } | undefined>(undefined);
  const load = async (found: File | undefined): Promise<void> => {
    if (found === undefined || found.size > FILE_BYTES_MAX) return;
    setFile({ name: found.name, bytes: new Uint8Array(await found.arrayBuffer()) });
  };
  return (
    <OpenForm
      title="Open a wallet file"
      button="Open it"
      orderOf={(password) =>
        file === undefined ? undefined : { action: 'open', file: file.bytes, password }
      }
    >
      <p class="actions wide">
        <label class="file">
          {file?.name ?? 'Choose the file'}
          <input
            type="file"
            data-file="wallet"
            onChange={(event) => void load(event.currentTarget.files?.[0])}
          />
        </label>
      </p>
    </OpenForm>
  );
}

function Restore(): JSX.Element {
  const [words, setWords] = useState('');
  return (
    <OpenForm
      title="Restore from words"
      button="Restore it"
      orderOf={(password) => ({ action: 'restore', words: words.trim(), password })}
    >
      <Field label="24 words" value={words} onText={setWords} />
    </OpenForm>
  );
}

function Opened({ wallet }: { wallet: OpenedWallet }): JSX.Element {
  const { address } = wallet;
  const { revision, balance, pending } = useAddress(address);
  return (
    <Screen
      title="Wallet"
      over="Keys in this tab"
      aside={
        <Proof
          claim={balance.document === undefined ? undefined : { kind: 'balance', address }}
          revision={balance.document?.balance}
        />
      }
      readings={[balance, pending]}
    >
      <Warning />
      <Keep wallet={wallet} />
      <div class="address">
        <Card kind="hero">
          <Show reading={balance}>
            {(document) => (
              <>
                <p class="over">Balance at cut {whole(document.indexed_height)}</p>
                <p class="big">
                  <Amount atoms={document.balance} /> <small>coins</small>
                </p>
              </>
            )}
          </Show>
          <Pending address={address} pending={pending.document} />
          {network.value === 'development' ? <Faucet address={address} /> : null}
        </Card>
        <Identity address={address} keys={undefined} />
      </div>
      <div class="columns">
        <Send />
        <Chats address={address} revision={revision} />
        <Card title="History">
          <History address={address} revision={revision} />
        </Card>
      </div>
    </Screen>
  );
}

/** What to keep of a new wallet, and the button that closes an open one. */
function Keep({ wallet }: { wallet: OpenedWallet }): JSX.Element {
  const { words, file } = wallet;
  const close = async (): Promise<void> => {
    opened.value = undefined;
    await askWallet({ action: 'close' });
  };
  return (
    <Card title={words === undefined ? 'This wallet' : 'Keep these 24 words'}>
      {words === undefined ? null : (
        <p class="words" data-words="new">
          {words}
        </p>
      )}
      <p class="actions">
        {file === undefined ? null : (
          <button type="button" onClick={() => saveBytes('wallet', file)}>
            Save the wallet file
          </button>
        )}
        <button type="button" onClick={() => void close()}>
          Close the wallet
        </button>
      </p>
    </Card>
  );
}

function Faucet({ address }: { address: string }): JSX.Element {
  const doing = useDoing();
  const ask = (): void =>
    doing.start(async () => {
      const { words } = await readDevNetwork();
      const id = await payFromTab({
        words,
        from: FAUCET_ACCOUNT,
        to: address,
        atoms: FAUCET_ATOMS,
        payloadHex: '',
      });
      return (
        <>
          On its way: <Id kind="tx" id={id} />
        </>
      );
    });
  return (
    <>
      <p class="actions">
        <button type="button" disabled={doing.isBusy} onClick={ask}>
          100 coins from the faucet
        </button>
      </p>
      <Said doing={doing} />
    </>
  );
}

function Send(): JSX.Element {
  const pay = async (payment: Payment): Promise<string> => {
    const answer = await askWallet({ action: 'pay', ...payment });
    if (answer.action === 'paid') return answer.id;
    throw new Error('the wallet answered something else');
  };
  return <PayForm title="Send" noteLabel="Note, public" pay={pay} />;
}
