/**
 * Live data: the head, the last cuts, mempool, rates and sync, followed over one socket that reconnects. Frames carry
 * less than the page shows, so that a frame is a reason to read, at most twice a second however fast cuts come.
 */
import { computed, signal } from '@preact/signals';
import type {
  ChainHead,
  CutSummary,
  MempoolDocument,
  RatesDocument,
  SyncDocument,
  TopicEvent,
} from 'svc-api';
import { sleep } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { ApiSocket, type Listener, opener, type Topic } from 'svc-client/socket';
import { startNow } from './now.ts';
import { get, readDocument } from './read.ts';
import { SleepWatch } from './sleep-watch.ts';

export const CUTS_KEPT = 60;
const READ_PAUSE_MILLIS = 500;
const CHECK_MILLIS = 1_000;
const PACE_MILLIS = 2_000;

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly sinceMillis: number };

export const connection = signal<Connection>({ state: 'connecting' });
export const head = signal<ChainHead | undefined>(undefined);
/** Newest first. */
export const cuts = signal<readonly CutSummary[]>([]);
export const mempool = signal<MempoolDocument | undefined>(undefined);
export const rates = signal<RatesDocument | undefined>(undefined);
export const sync = signal<SyncDocument | undefined>(undefined);
/** What the page noticed about the chain that its reader should know. */
export const notice = signal<string | undefined>(undefined);
/** Moves after cuts, for lists that follow the chain: never more often than an eye can follow, and always after the last. */
export const pace = signal(0);

export const headHeight = computed(() => head.value?.cut.height);
export const network = computed(() => head.value?.network);

let socket: ApiSocket | undefined;
const subscriptions = new Set<{ topic: Topic; listener: Listener; end: () => void }>();

/** Subscribes on whatever socket there is, now and after every reconnect. Returns a function that ends it. */
export function follow(topic: Topic, listener: Listener): () => void {
  const entry = { topic, listener, end: socket?.subscribe(topic, listener) ?? (() => {}) };
  subscriptions.add(entry);
  return () => {
    subscriptions.delete(entry);
    entry.end();
  };
}

function openSocket(): void {
  const made: ApiSocket = new ApiSocket(
    location.origin.replace(/^http/, 'ws'),
    {
      open: opener(globalThis.WebSocket),
      sleep: (millis, signal) => sleep(SYSTEM_CLOCK, millis, signal),
      random: Math.random,
    },
    // Events of a replaced socket are ignored.
    { onState: (isConnected) => (socket === made ? onConnection(isConnected) : undefined) },
  );
  socket = made;
  for (const entry of subscriptions) entry.end = socket.subscribe(entry.topic, entry.listener);
}

function onConnection(isConnected: boolean): void {
  if (isConnected) {
    connection.value = { state: 'live' };
    sleepWatch.forget();
    wantCuts();
  } else if (connection.value.state !== 'lost') {
    connection.value = { state: 'lost', sinceMillis: Date.now() };
  }
}

/** Reconnects at once instead of after the socket's growing pauses. */
async function heal(): Promise<void> {
  if (connection.value.state !== 'lost' || document.visibilityState === 'hidden') return;
  try {
    await readDocument(get('/v1/chain/head'));
  } catch {
    return;
  }
  if (connection.value.state !== 'lost') return;
  void socket?.close();
  openSocket();
}

const sleepWatch = new SleepWatch(Date.now());

/** Once a second, and when the tab is shown. */
function check(): void {
  const slept = sleepWatch.check(Date.now(), document.visibilityState === 'hidden');
  if (slept !== undefined && connection.value.state === 'live')
    connection.value = { state: 'lost', sinceMillis: slept };
  void heal();
}

let isReading = false;
let isWanted = false;

/** Reads head and cuts soon; several calls become one reading. */
function wantCuts(): void {
  isWanted = true;
  if (isReading) return;
  isReading = true;
  void readWanted();
}

async function readWanted(): Promise<void> {
  while (isWanted) {
    isWanted = false;
    try {
      await readCuts();
    } catch {
      // The state of the connection shows a node that does not answer.
    }
    await sleep(SYSTEM_CLOCK, READ_PAUSE_MILLIS);
  }
  isReading = false;
}

async function readCuts(): Promise<void> {
  const found = await readDocument<ChainHead>(get('/v1/chain/head'));
  const known = cuts.value[0]?.height ?? -1;
  const { height } = found.cut;
  const isBack = height < known;
  if (isBack) {
    notice.value = `The node went back from cut ${known.toLocaleString('en')} to cut ${height.toLocaleString('en')}.`;
  } else if (head.value !== undefined && head.value.chain_id !== found.chain_id) {
    notice.value = 'The node follows another chain than before.';
  }
  head.value = found;
  const missing = isBack || known < 0 ? CUTS_KEPT : Math.min(CUTS_KEPT, height - known);
  if (missing === 0) return;
  const page = (await readDocument<{ cuts: CutSummary[] }>(get(`/v1/cuts?limit=${missing}`))).cuts;
  const before = page.at(-1)?.height ?? Number.POSITIVE_INFINITY;
  const kept = isBack ? [] : cuts.value.filter((cut) => cut.height < before);
  cuts.value = [...page, ...kept].slice(0, CUTS_KEPT);
  if (known >= 0) movePace();
}

let isPaceDue = false;
let pacedMillis = 0;

function movePace(): void {
  if (isPaceDue) return;
  isPaceDue = true;
  setTimeout(
    () => {
      isPaceDue = false;
      pacedMillis = Date.now();
      pace.value++;
    },
    Math.max(0, pacedMillis + PACE_MILLIS - Date.now()),
  );
}

function onEvent(event: TopicEvent): void {
  if (event.type === 'cut_finalized') wantCuts();
  if (event.type === 'mempool') mempool.value = event.data;
  if (event.type === 'rates') rates.value = event.data;
  if (event.type === 'sync') sync.value = event.data;
}

async function readFigures(): Promise<void> {
  const [pool, speed, state] = await Promise.all([
    readDocument<MempoolDocument>(get('/v1/mempool')),
    readDocument<RatesDocument>(get('/v1/chain/rates')),
    readDocument<SyncDocument>(get('/v1/node/sync')),
  ]);
  mempool.value = pool;
  rates.value = speed;
  sync.value = state;
}

/** Begins to follow the chain; called once. */
export function startLive(): void {
  startNow();
  setInterval(check, CHECK_MILLIS);
  addEventListener('online', () => void heal());
  document.addEventListener('visibilitychange', () => {
    wantCuts();
    check();
  });
  follow({ topic: 'cuts' }, { onEvent, onResync: wantCuts });
  for (const topic of ['mempool', 'rates', 'sync'] as const) {
    follow({ topic }, { onEvent });
  }
  openSocket();
  wantCuts();
  readFigures().catch(() => {});
}
