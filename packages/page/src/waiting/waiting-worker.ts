/**
 * Follows the transactions that wait, in a thread of its own: thousands of frames a cut are parsed, put in order and drawn
 * here, and the page gets the head of the list once a second.
 */
import { sleep } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { ApiSocket, opener } from 'svc-client/socket';
import { type Area, layOut, placeAt } from './areas.ts';
import { Arrivals } from './arrivals.ts';
import { drawAreas, type Look } from './draw-areas.ts';
import type { WaitingOrder, WaitingReply } from './messages.ts';
import { inOrder, type Ordered } from './order.ts';
import { Paced } from './paced.ts';

declare function postMessage(reply: WaitingReply): void;

/** As many as a frame of the page has time to lay out when all of them change at once. */
const LISTED = 25;
/** A list that changes more often cannot be read. */
const LIST_MILLIS = 1_000;

let canvas: OffscreenCanvas | undefined;
let look: Look | undefined;
let ordered: Ordered = { items: [], next: 0 };
let areas: readonly Area[] = [];
let socket: ApiSocket | undefined;

const list = new Paced(LIST_MILLIS, SYSTEM_CLOCK, () => {
  const rows = ordered.items.slice(0, LISTED).map(({ row }) => row);
  postMessage({ type: 'waiting', rows, count: ordered.items.length, next: ordered.next });
});

const arrivals = new Arrivals({
  clock: SYSTEM_CLOCK,
  draw: (waiting) => {
    ordered = inOrder(waiting);
    draw();
    list.want();
  },
});

function draw(): void {
  if (canvas === undefined || look === undefined) return;
  areas = layOut(ordered.items, look);
  drawAreas(canvas, look, ordered, areas);
}

function connect(): void {
  void socket?.close();
  socket = new ApiSocket(location.origin.replace(/^http/, 'ws'), {
    open: opener(globalThis.WebSocket),
    sleep: (millis, signal) => sleep(SYSTEM_CLOCK, millis, signal),
    random: Math.random,
  });
  const made = socket;
  socket.subscribe(
    { topic: 'mempool_transactions' },
    {
      // A connection that was replaced may still deliver frames.
      onEvent: (event) => (socket === made ? arrivals.onEvent(event) : undefined),
      onResync: () => {
        if (socket !== made) return;
        arrivals.clear();
        postMessage({ type: 'following' });
      },
      onRefused: () => postMessage({ type: 'refused' }),
    },
  );
}

addEventListener('message', (event) => {
  const order = (event as MessageEvent<WaitingOrder>).data;
  switch (order.type) {
    case 'draw':
      canvas = order.canvas;
      look = order.look;
      draw();
      break;
    case 'look':
      look = order.look;
      draw();
      break;
    case 'connect':
      connect();
      break;
    case 'find': {
      const id = ordered.items[placeAt(areas, order.x, order.y)]?.row.transaction_id;
      postMessage({ type: 'found', id, isChosen: order.isChosen });
      break;
    }
  }
});
