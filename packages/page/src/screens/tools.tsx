/**
 * Small tools: amounts, payment requests with a QR code, words of an address, addresses of words, and transactions in
 * hexadecimal. What the module computes is computed in the worker of this tab; only sending asks the node.
 */

import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { network } from '../data/live.ts';
import { post, readDocument } from '../data/read.ts';
import { coins, parseCoins, whole } from '../format/figures.ts';
import { Said, useDoing } from '../parts/doing.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Card, Screen } from '../parts/layout.tsx';
import { Qr } from '../parts/qr.tsx';
import { Copy, Id } from '../parts/text.tsx';
import type { ToolOrder } from '../prove/messages.ts';
import { compute } from '../prove/prover.ts';

export function ToolsScreen(): JSX.Element {
  return (
    <Screen title="Tools" over="Computed in this tab">
      <div class="columns">
        <AmountTool />
        <UriTool />
        <AddressWordsTool />
        {network.value === undefined || network.value === 'mainnet' ? null : (
          <AddressesTool network={network.value} />
        )}
        <DecodeTool />
        <SendTool />
      </div>
    </Screen>
  );
}

function AmountTool(): JSX.Element {
  const [text, setText] = useState('1.25');
  const atoms = parseCoins(text);
  const back = /^[0-9]{1,19}$/.test(text.trim()) ? coins(text.trim()) : undefined;
  return (
    <Card title="Amounts">
      <Field label="Coins, or atoms" value={text} onText={setText} />
      <p role="status">
        {atoms === undefined ? 'No amount of coins.' : `${text} coins are ${whole(atoms)} atoms.`}
        {back === undefined ? null : ` ${text} atoms are ${back} coins.`}
      </p>
    </Card>
  );
}

/** Orders a computation from the worker when its form is sent, and keeps the result. */
function ToolForm(props: {
  title: string;
  button: string;
  orderOf: () => ToolOrder;
  children: ComponentChildren;
  show: (text: string) => ComponentChildren;
  about?: ComponentChildren;
}): JSX.Element {
  const [said, setSaid] = useState<ComponentChildren>(null);
  const send = async (): Promise<void> => {
    try {
      setSaid(props.show(await compute(props.orderOf())));
    } catch (error) {
      setSaid(<span class="no">{error instanceof Error ? error.message : String(error)}</span>);
    }
  };
  return (
    <Card title={props.title}>
      <Form onSubmit={() => void send()}>
        {props.children}
        <button type="submit" class="primary">
          {props.button}
        </button>
      </Form>
      {props.about}
      <div class="said" role="status">
        {said}
      </div>
    </Card>
  );
}

function UriTool(): JSX.Element {
  const [address, setAddress] = useState('');
  const [amount, setAmount] = useState('');
  const [label, setLabel] = useState('');
  return (
    <ToolForm
      title="Payment request"
      button="Make it"
      orderOf={() => ({
        tool: 'uri',
        request: {
          network: network.value ?? 'development',
          address: address.trim(),
          ...(amount === '' ? {} : { amount: amount.trim() }),
          ...(label === '' ? {} : { label }),
        },
      })}
      show={(uri) => (
        <>
          <p class="whole">
            <code>{uri}</code>
            <Copy text={uri} what="the request" />
          </p>
          <Qr text={uri} label="QR code of the payment request" />
        </>
      )}
    >
      <Field label="Address" value={address} onText={setAddress} />
      <Field label="Coins, may be left out" value={amount} onText={setAmount} />
      <Field label="Label, may be left out" value={label} onText={setLabel} />
    </ToolForm>
  );
}

function AddressWordsTool(): JSX.Element {
  const [address, setAddress] = useState('');
  return (
    <ToolForm
      title="Words of an address"
      button="Show its words"
      orderOf={() => ({ tool: 'words', address: address.trim() })}
      show={(words) => <span class="words">{words}</span>}
      about={<p class="soft">To compare an address by voice.</p>}
    >
      <Field label="Address" value={address} onText={setAddress} />
    </ToolForm>
  );
}

function AddressesTool({ network: name }: { network: string }): JSX.Element {
  const [words, setWords] = useState('');
  return (
    <ToolForm
      title="Addresses of words"
      button="Show the first five"
      orderOf={() => ({ tool: 'addresses', words: words.trim(), network: name })}
      show={(lines) => lines.split('\n').map((line) => <code key={line}>{line} </code>)}
      about={
        <p class="warning" role="note">
          For {name} only, and computed without a request. Never type words of real value into a
          page.
        </p>
      }
    >
      <Field label="24 words" value={words} onText={setWords} />
    </ToolForm>
  );
}

function DecodeTool(): JSX.Element {
  const [hex, setHex] = useState('');
  return (
    <ToolForm
      title="Transaction in hexadecimal"
      button="Decode"
      orderOf={() => ({ tool: 'decode', hex: hex.replaceAll(/\s/g, '') })}
      show={(text) => <pre tabIndex={0}>{text}</pre>}
      about={<p class="soft">The terms of the chain are read from the node.</p>}
    >
      <Field label="Signed bytes" value={hex} onText={setHex} />
    </ToolForm>
  );
}

/** Sends what was signed elsewhere, on a machine without a network for example. */
function SendTool(): JSX.Element {
  const [hex, setHex] = useState('');
  const doing = useDoing();
  const send = (): void =>
    doing.start(async () => {
      const order = post('/v1/transactions', { wire_hex: hex.replaceAll(/\s/g, '') });
      const sent = await readDocument<{ transaction_id: string }>(order);
      return (
        <>
          Sent: <Id kind="tx" id={sent.transaction_id} />
        </>
      );
    });
  return (
    <Card title="Send a signed transaction">
      <p class="soft">For what was signed elsewhere. The node checks it and passes it on.</p>
      <Form onSubmit={send}>
        <Field label="Signed bytes to send" value={hex} onText={setHex} />
        <button type="submit" class="primary" disabled={doing.isBusy || hex.trim() === ''}>
          Send
        </button>
      </Form>
      <Said doing={doing} />
    </Card>
  );
}
