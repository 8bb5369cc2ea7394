/**
 * A process that holds many miners of one bridge, half of them in each form of the protocol. It reports when half, nearly
 * all and all of them have a new job, sends shares at a steady rate and measures how long their answers take. It reads
 * as little of the messages as it can: the bridge is measured, and shares the machine with it.
 */
import { connect, type Socket } from 'node:net';
import { encodeMessage, NONCE_BYTES, type Protocol } from 'svc-mining';

export interface FanoutTask {
  readonly port: number;
  readonly clients: number;
  /** Miners are spread over these. */
  readonly addresses: readonly string[];
  readonly sharesPerSecond: number;
}

export type FanoutOrder = { readonly type: 'mine' } | { readonly type: 'rest' };

export type FanoutReport =
  | { readonly type: 'connected' }
  /** When half of the miners, 99 of 100 and all had the next job; nanoseconds of the monotonic clock. */
  | {
      readonly type: 'delivered';
      readonly half: string;
      readonly most: string;
      readonly all: string;
    }
  | {
      readonly type: 'rested';
      readonly sent: number;
      readonly accepted: number;
      readonly refused: number;
      /** Sorted, in milliseconds. */
      readonly latencies: readonly number[];
    };

/** Fewer than the backlog of a listener. */
const AT_ONCE = 400;
/** A source may have 1,024 connections; all of 127.0.0.0/8 is this machine. */
const CLIENTS_A_SOURCE = 1_000;
const TICK_MILLIS = 10;
const NOTIFY = 129;
const SUBMITTED = 67;
const REFUSED = 79;
const LINE_FEED = 0x0a;
/** How the line of a job begins; its number follows. */
const NOTIFY_LINE = '{"jsonrpc":"2.0","method":"mining.notify","params":{"job_id":"';
const LINE_HEAD_BYTES = NOTIFY_LINE.length + 8;
/** One for all sockets: what was read is worked on before the next is read. */
const READ_BUFFER = Buffer.alloc(64 << 10);
const NOTHING = Buffer.alloc(0);

type Kind = 'notify' | 'submitted' | 'refused' | 'other';

class Client {
  readonly protocol: Protocol;
  readonly #clients: Clients;
  #socket: Socket | undefined;
  /** The beginning of an incomplete message. */
  #rest: Buffer = NOTHING;
  #prefix = new Uint8Array(4);
  #job = 0;
  #sentAt = 0;
  #number = 0;

  constructor(clients: Clients, protocol: Protocol) {
    this.#clients = clients;
    this.protocol = protocol;
  }

  /** Resolves with the first job. */
  open(task: FanoutTask, place: number): Promise<void> {
    const localAddress = `127.0.${1 + Math.trunc(place / CLIENTS_A_SOURCE)}.1`;
    const address = task.addresses[place % task.addresses.length] as string;
    return new Promise((resolve, reject) => {
      let hasJob = false;
      const onJob = (): void => {
        if (hasJob) this.#clients.onJob();
        hasJob = true;
        resolve();
      };
      const callback = (length: number): boolean => {
        this.#read(READ_BUFFER.subarray(0, length), onJob);
        return true;
      };
      const socket = connect({
        port: task.port,
        host: '127.0.0.1',
        localAddress,
        noDelay: true,
        onread: { buffer: READ_BUFFER, callback },
      });
      this.#socket = socket;
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the bridge closed a connection')));
      this.#send({ type: 'subscribe', id: 1, agent: 'bench' });
      this.#send({ type: 'authorize', id: 2, username: `${address}.rig${place}` });
    });
  }

  submit(): void {
    const nonce = new Uint8Array(NONCE_BYTES);
    new DataView(nonce.buffer).setUint32(0, ++this.#number);
    nonce.set(this.#prefix, NONCE_BYTES - this.#prefix.length);
    this.#sentAt = performance.now();
    this.#send({ type: 'submit', id: 2 + this.#number, job: this.#job, nonce });
  }

  #send(message: Parameters<typeof encodeMessage>[0]): void {
    this.#socket?.write(encodeMessage(message, this.protocol));
  }

  #read(bytes: Buffer, onJob: () => void): void {
    let data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (let end = this.#endOf(data); end > 0 && end <= data.length; end = this.#endOf(data)) {
      const kind = this.#kindOf(data.subarray(0, end));
      if (kind === 'notify') onJob();
      else if (kind !== 'other') this.#clients.onAnswer(kind, performance.now() - this.#sentAt);
      data = data.subarray(end);
    }
    this.#rest = data.length === 0 ? NOTHING : Buffer.from(data);
  }

  /** Where the first message ends; 0 if that is not known yet. */
  #endOf(data: Buffer): number {
    if (this.protocol === 'svc-mining-v1') return data.indexOf(LINE_FEED) + 1;
    return data.length < 3 ? 0 : 2 + data.readUInt16BE(0);
  }

  #kindOf(message: Buffer): Kind {
    return this.protocol === 'svc-mining-v1'
      ? this.#kindOfLine(message)
      : this.#kindOfFrame(message);
  }

  #kindOfFrame(message: Buffer): Kind {
    const code = message[2];
    if (code === NOTIFY) this.#job = message.readUInt32LE(3);
    // The answer to a subscription: an id, the session's 16 bytes, the prefix.
    if (code === 65) this.#prefix = new Uint8Array(message.subarray(23, 27));
    if (code === NOTIFY) return 'notify';
    return code === SUBMITTED ? 'submitted' : code === REFUSED ? 'refused' : 'other';
  }

  #kindOfLine(message: Buffer): Kind {
    const head = message.toString('latin1', 0, LINE_HEAD_BYTES);
    if (head.startsWith(NOTIFY_LINE)) {
      this.#job = Number.parseInt(head.slice(NOTIFY_LINE.length, NOTIFY_LINE.length + 8), 16);
      return 'notify';
    }
    const text = message.toString('latin1');
    const prefix = /"nonce_prefix":"([0-9a-f]{8})"/.exec(text)?.[1];
    if (prefix !== undefined) this.#prefix = new Uint8Array(Buffer.from(prefix, 'hex'));
    if (text.includes('"error"')) return 'refused';
    return prefix === undefined && !text.includes('"worker"') && text.includes('"accepted"')
      ? 'submitted'
      : 'other';
  }
}

class Clients {
  readonly #task: FanoutTask;
  readonly #all: Client[] = [];
  #jobs = 0;
  #half = '';
  #most = '';
  #answers = { submitted: 0, refused: 0 };
  #latencies: number[] = [];
  #sent = 0;
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(task: FanoutTask) {
    this.#task = task;
  }

  async open(): Promise<void> {
    const { clients } = this.#task;
    for (let opened = 0; opened < clients; opened += AT_ONCE) {
      const places = Array.from(
        { length: Math.min(AT_ONCE, clients - opened) },
        (_, i) => opened + i,
      );
      await Promise.all(places.map((place) => this.#openOne(place)));
    }
    say({ type: 'connected' });
  }

  /** Counts a miner that has a new job; all get one with every cut. */
  onJob(): void {
    const { clients } = this.#task;
    this.#jobs++;
    if (this.#jobs === Math.ceil(clients / 2)) this.#half = `${process.hrtime.bigint()}`;
    if (this.#jobs === Math.ceil(clients * 0.99)) this.#most = `${process.hrtime.bigint()}`;
    if (this.#jobs < clients) return;
    this.#jobs = 0;
    const all = `${process.hrtime.bigint()}`;
    say({ type: 'delivered', half: this.#half, most: this.#most, all });
  }

  onAnswer(kind: 'submitted' | 'refused', millis: number): void {
    this.#answers[kind]++;
    this.#latencies.push(millis);
    if (this.#timer === undefined) this.#reportWhenAnswered();
  }

  mine(): void {
    const began = performance.now();
    this.#timer = setInterval(() => {
      const due = ((performance.now() - began) * this.#task.sharesPerSecond) / 1_000;
      for (; this.#sent < due; this.#sent++) {
        this.#all[this.#next]?.submit();
        this.#next = (this.#next + 1) % this.#all.length;
      }
    }, TICK_MILLIS);
  }

  /** Sends no more, and reports when everything is answered. */
  rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#reportWhenAnswered();
  }

  async #openOne(place: number): Promise<void> {
    const client = new Client(this, place % 2 === 0 ? 'svc-mining-v1' : 'svc-mining-v2');
    this.#all.push(client);
    await client.open(this.#task, place);
  }

  #reportWhenAnswered(): void {
    const { submitted: accepted, refused } = this.#answers;
    if (accepted + refused < this.#sent) return;
    const latencies = this.#latencies.toSorted((a, b) => a - b);
    say({ type: 'rested', sent: this.#sent, accepted, refused, latencies });
  }
}

function say(report: FanoutReport): void {
  process.send?.(report);
}

process.once('message', (task: FanoutTask) => {
  const clients = new Clients(task);
  process.on('message', ({ type }: FanoutOrder) => clients[type]());
  void clients.open();
});
process.once('disconnect', () => process.exit());
