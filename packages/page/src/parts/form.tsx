/**
 * Forms: fields with their labels, a form that never loads the page anew, and the form of a payment.
 */
import type { ComponentChildren, InputHTMLAttributes, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { parseCoins } from '../format/figures.ts';
import { Said, useDoing } from './doing.tsx';
import { Card } from './layout.tsx';
import { Id } from './text.tsx';

export interface FieldOptions {
  readonly label: ComponentChildren;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** A field is as wide as its form unless it shares its line. */
  readonly isNarrow?: boolean;
  /** Attributes of the input, beside the fixed ones. */
  readonly input?: InputHTMLAttributes;
}

export function Field({ label, value, onText, isNarrow, input }: FieldOptions): JSX.Element {
  return (
    <label class={isNarrow === true ? 'field' : 'field wide'}>
      {label}
      <input
        spellcheck={false}
        autocomplete="off"
        {...input}
        value={value}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </label>
  );
}

export function Form(props: {
  kind?: string;
  onSubmit: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <form
      class={props.kind ?? 'fields'}
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      {props.children}
    </form>
  );
}

const NOTE_CHARACTERS_MAX = 200;

export interface Payment {
  readonly to: string;
  readonly atoms: string;
  /** For the receiver; it is public. */
  readonly note: string;
}

export interface PayFormOptions {
  readonly title: string;
  readonly to?: string;
  readonly amount?: string;
  readonly noteLabel: string;
  /** Signs and sends; answers with the id of the transaction. */
  readonly pay: (payment: Payment) => Promise<string>;
  /** Fields before those of the payment. */
  readonly children?: ComponentChildren;
}

export function PayForm(options: PayFormOptions): JSX.Element {
  const [to, setTo] = useState(options.to ?? '');
  const [amount, setAmount] = useState(options.amount ?? '');
  const [note, setNote] = useState('');
  const doing = useDoing();
  const atoms = parseCoins(amount);
  const isPayable = atoms !== undefined && atoms !== 0n && to !== '';
  const submit = (): void =>
    doing.start(async () => {
      const id = await options.pay({ to: to.trim(), atoms: String(atoms), note });
      return (
        <>
          Sent: <Id kind="tx" id={id} />
        </>
      );
    });
  return (
    <Card title={options.title}>
      <Form onSubmit={submit}>
        {options.children}
        <Field
          label="Coins"
          isNarrow
          value={amount}
          onText={setAmount}
          input={{ inputMode: 'decimal' }}
        />
        <Field label="To" value={to} onText={setTo} />
        <Field
          label={options.noteLabel}
          value={note}
          onText={setNote}
          input={{ maxLength: NOTE_CHARACTERS_MAX, spellcheck: true }}
        />
        <button type="submit" class="primary" disabled={doing.isBusy || !isPayable}>
          Sign and send
        </button>
      </Form>
      <Said doing={doing} />
    </Card>
  );
}
