/**
 * The page's side of the pending transactions: a canvas that a worker draws on, and the head of the list that the worker sends. Worker and
 * connection are there as long as the canvas is.
 */
import { effect } from '@preact/signals';
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { href, navigate } from '../app/router.ts';
import { connection } from '../data/live.ts';
import { short } from '../parts/text.tsx';
import type { Look } from './draw-areas.ts';
import type { WaitingList, WaitingOrder, WaitingReply } from './messages.ts';

/** More pixels than this for one of the style make no difference to an eye. */
const DENSITY_MAX = 2;

export interface Waiting extends WaitingList {
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly state: 'asking' | 'following' | 'refused' | 'failed';
  /** Asks the worker which transaction is at a point of the canvas; the answer is its title, or a screen. */
  readonly find: (event: MouseEvent, isChosen: boolean) => void;
}

function lookOf(canvas: HTMLCanvasElement): Look {
  const { color, borderColor } = getComputedStyle(canvas);
  return {
    width: canvas.clientWidth,
    height: canvas.clientHeight,
    density: Math.min(DENSITY_MAX, devicePixelRatio),
    color,
    lineColor: borderColor,
  };
}

/** Starts the worker on a canvas; returns functions that send it orders and end it. */
function followOn(canvas: HTMLCanvasElement, onReply: (reply: WaitingReply | undefined) => void) {
  const worker = new Worker(WAITING_ADDRESS, { type: 'module' });
  const send = (order: WaitingOrder, handedOver: Transferable[] = []): void =>
    worker.postMessage(order, handedOver);
  worker.onmessage = ({ data }: MessageEvent<WaitingReply>) => onReply(data);
  worker.onerror = () => onReply(undefined);
  const drawn = canvas.transferControlToOffscreen();
  send({ type: 'draw', canvas: drawn, look: lookOf(canvas) }, [drawn]);
  const lookAgain = (): void => send({ type: 'look', look: lookOf(canvas) });
  const size = new ResizeObserver(lookAgain);
  size.observe(canvas);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', lookAgain);
  // The page notices a lost connection sooner than the worker's would, after sleep too.
  const unfollow = effect(() => {
    if (connection.value.state === 'live') send({ type: 'connect' });
  });
  const end = (): void => {
    unfollow();
    size.disconnect();
    scheme.removeEventListener('change', lookAgain);
    worker.terminate();
  };
  return { send, end };
}

export function useWaiting(): Waiting {
  const canvas = useRef<HTMLCanvasElement>(null);
  const send = useRef<(order: WaitingOrder) => void>(() => {});
  const [list, setList] = useState<WaitingList>({ rows: [], count: 0, next: 0 });
  const [state, setState] = useState<Waiting['state']>('asking');
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const followed = followOn(element, (reply) => {
      if (reply === undefined) setState('failed');
      else if (reply.type === 'waiting') setList(reply);
      else if (reply.type !== 'found') setState(reply.type);
      else if (reply.isChosen && reply.id !== undefined) navigate(href('tx', reply.id));
      else element.title = reply.id === undefined ? '' : `Transaction ${short(reply.id)}`;
    });
    send.current = followed.send;
    return followed.end;
  }, []);
  const find = ({ offsetX, offsetY }: MouseEvent, isChosen: boolean): void =>
    send.current({ type: 'find', x: offsetX, y: offsetY, isChosen });
  return { ...list, canvas, state, find };
}

/** A pointer finds the transaction of an area; the list beside it is for keys. */
export function WaitingAreas(props: {
  waiting: Waiting;
  children: ComponentChildren;
}): JSX.Element {
  const { canvas, count, find } = props.waiting;
  return (
    <div class="areas">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Waiting transactions: ${count}`}
        onMouseMove={(event) => find(event, false)}
        onClick={(event) => find(event, true)}
      />
      {count === 0 ? <p class="empty">{props.children}</p> : null}
    </div>
  );
}
