/**
 * The console: every route with a form, every topic of the socket with its frames, every error with what to do about it.
 * All three lists come from the node.
 */

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OfferedRoute, PlainTopic, RouteList } from 'svc-api';
import { follow } from '../data/live.ts';
import {
  asCurl,
  get,
  post,
  type ReadFailure,
  type ReadRequest,
  readDocument,
} from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { millis } from '../format/figures.ts';
import { clockTime } from '../format/times.ts';
import { Field, Form } from '../parts/form.tsx';
import { Card, Screen, Show, Table, Tabs } from '../parts/layout.tsx';
import { Badge, Copy } from '../parts/text.tsx';

const TABS = ['Routes', 'Socket', 'Errors'] as const;
const TOPICS: readonly PlainTopic[] = [
  'cuts',
  'blocks',
  'mempool',
  'rates',
  'sync',
  'mempool_transactions',
];
const FRAMES_KEPT = 50;

export function ApiScreen(): JSX.Element {
  const [tab, setTab] = useState<string>(TABS[0]);
  const list = useRead<RouteList>(get('/?format=json'));
  const errors = useRead<string>(get('/llms.txt'));
  return (
    <Screen title="API" over="What programs can ask this node" readings={[list]}>
      <Card>
        <Tabs label="Parts of the API" names={TABS} selected={tab} onSelect={setTab} />
        {tab === 'Routes' ? (
          <Show reading={list} lines={10}>
            {({ routes }) => <Routes routes={routes} />}
          </Show>
        ) : null}
        {tab === 'Socket' ? <Socket /> : null}
        {tab === 'Errors' ? (
          <Show reading={errors} lines={10}>
            {(text) => <Errors text={text} />}
          </Show>
        ) : null}
      </Card>
    </Screen>
  );
}

function Routes({ routes }: { routes: readonly OfferedRoute[] }): JSX.Element {
  const offered = routes.filter(({ path }) => path.startsWith('/v1/'));
  const nameOf = ({ method, path }: OfferedRoute) => `${method} ${path}`;
  const [name, setName] = useState(nameOf(offered[0] as OfferedRoute));
  const route = offered.find((each) => nameOf(each) === name);
  return (
    <>
      <label class="field">
        Route
        <select value={name} onChange={(event) => setName(event.currentTarget.value)}>
          {offered.map((each) => (
            <option key={nameOf(each)} value={nameOf(each)}>
              {nameOf(each)}
            </option>
          ))}
        </select>
      </label>
      {route === undefined ? null : <RouteForm key={name} route={route} />}
    </>
  );
}

/** The request that the fields of a form make; a text in a body that is JSON is taken as JSON. */
export function requestOf(
  { method, path, parameters }: OfferedRoute,
  values: Readonly<Record<string, string>>,
): ReadRequest {
  let target = path;
  const query: string[] = [];
  const body: Record<string, unknown> = {};
  for (const { name, in: place } of parameters) {
    const value = values[name] ?? '';
    if (value === '') continue;
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value));
    if (place === 'query') query.push(`${name}=${encodeURIComponent(value)}`);
    if (place === 'body') body[name] = jsonOr(value);
  }
  const whole = query.length === 0 ? target : `${target}?${query.join('&')}`;
  return method === 'GET' ? get(whole) : post(whole, body);
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface RouteAnswer {
  readonly status: string;
  readonly tookMillis: number;
  readonly text: string;
}

function RouteForm({ route }: { route: OfferedRoute }): JSX.Element {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState<RouteAnswer | undefined>(undefined);
  const request = requestOf(route, values);
  const fields = route.parameters.filter(({ name }) => name !== 'api_version');
  const curl = asCurl(request, location.origin);
  const send = async (): Promise<void> => {
    const began = performance.now();
    const settle = (status: string, document: unknown): void =>
      setAnswer({
        status,
        tookMillis: performance.now() - began,
        text: typeof document === 'string' ? document : JSON.stringify(document, null, 2),
      });
    try {
      settle('200', await readDocument(request));
    } catch (error) {
      const { status, code, message, hint } = error as ReadFailure;
      settle(String(status ?? 'no answer'), { code, message, hint });
    }
  };
  return (
    <Form onSubmit={() => void send()}>
      <p class="soft wide">
        {route.summary} {route.extension ? <Badge tone="">extension</Badge> : null}
      </p>
      {fields.map(({ name, in: place, required, description }) => (
        <Field
          key={name}
          label={
            <>
              {name} · {place}
              {required ? '' : ', may be left out'}
              {description === undefined ? null : <small>{description}</small>}
            </>
          }
          value={values[name] ?? ''}
          onText={(text) => setValues({ ...values, [name]: text })}
        />
      ))}
      <p class="curl wide">
        <code>{curl}</code>
        <Copy text={curl} what="the command" />
      </p>
      <button type="submit" class="primary">
        Run
      </button>
      {answer === undefined ? null : (
        <section class="wide" aria-label="The answer">
          <p role="status">
            {answer.status} · {millis(answer.tookMillis)}
          </p>
          <pre tabIndex={0}>{answer.text}</pre>
        </section>
      )}
    </Form>
  );
}

function Socket(): JSX.Element {
  const [topic, setTopic] = useState<PlainTopic>('cuts');
  const [frames, setFrames] = useState<readonly { at: number; text: string }[]>([]);
  useEffect(() => {
    const tell = (text: string): void =>
      setFrames((before) => [{ at: Date.now(), text }, ...before].slice(0, FRAMES_KEPT));
    setFrames([]);
    return follow(
      { topic },
      {
        onEvent: (event) => tell(JSON.stringify(event)),
        onResync: (reason) => tell(`read the state over HTTP now: ${reason}`),
        onRefused: (code, message) => tell(`refused: ${code}, ${message}`),
      },
    );
  }, [topic]);
  const frame = JSON.stringify({ type: 'subscribe', id: 1, topic });
  return (
    <>
      <label class="field">
        Topic of /v1/ws
        <select
          value={topic}
          onChange={(event) => setTopic(event.currentTarget.value as PlainTopic)}
        >
          {TOPICS.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <p class="curl">
        <code>{frame}</code>
        <Copy text={frame} what="the frame" />
      </p>
      <ol class="frames" aria-label="Frames, newest first">
        {frames.map(({ at, text }, place) => (
          <li key={frames.length - place}>
            <small>{clockTime(at)}</small> <code>{text}</code>
          </li>
        ))}
      </ol>
      {frames.length === 0 ? <p class="empty">No frame yet.</p> : null}
    </>
  );
}

interface ErrorRow {
  readonly code: string;
  readonly status: string;
  readonly retry: string;
  readonly meaning: string;
}

/** The errors in the node's description for programs that read text. */
function errorsOf(text: string): ErrorRow[] {
  const lines = text.matchAll(/^- `(\w+)` \((\d+), retry: (\w+)\): (.+)$/gm);
  return Array.from(lines, ([, code = '', status = '', retry = '', meaning = '']) => ({
    code,
    status,
    retry: retry.replaceAll('_', ' '),
    meaning,
  }));
}

function Errors({ text }: { text: string }): JSX.Element {
  return (
    <Table
      caption="Errors that routes answer"
      rows={errorsOf(text)}
      keyOf={({ code }) => code}
      empty="The node lists none."
      columns={[
        { name: 'Code', cell: ({ code }) => <code>{code}</code> },
        { name: 'Status', kind: 'number', cell: ({ status }) => status },
        { name: 'Retry', cell: ({ retry }) => retry },
        { name: 'Meaning', isMinor: true, cell: ({ meaning }) => meaning },
      ]}
    />
  );
}
