/**
 * One address in front of servers that come and go. It passes bytes on, cuts connections and loses answers when it is
 * told.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class CutProxy {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #port: number | null = null;
  #answersToLose = 0;

  static async start(): Promise<CutProxy> {
    const proxy = new CutProxy();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor() {
    this.#server = createServer((socket) => this.#pass(socket));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.#open.size;
  }

  /** Where connections lead from now on; nowhere for null. */
  leadTo(url: string | null): void {
    this.#port = url === null ? null : Number(new URL(url).port);
  }

  /** So many requests still get through, and their connections are cut in place of an answer. */
  loseAnswers(count: number): void {
    this.#answersToLose = count;
  }

  /** Answers how many connections were cut. */
  cut(): number {
    const count = this.#open.size;
    for (const socket of this.#open) socket.destroy();
    return count;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  #pass(socket: Socket): void {
    if (this.#port === null) {
      socket.destroy();
      return;
    }
    const upstream = connect(this.#port, '127.0.0.1');
    this.#open.add(socket);
    socket
      .on('error', () => {})
      .on('close', () => {
        this.#open.delete(socket);
        upstream.destroy();
      });
    upstream.on('error', () => {}).on('close', () => socket.destroy());
    upstream.on('data', (bytes) => {
      if (this.#answersToLose === 0) {
        socket.write(bytes);
        return;
      }
      this.#answersToLose--;
      socket.destroy();
    });
    socket.pipe(upstream);
  }
}
