/**
 * What a daemon refused, as it told it.
 */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export class DaemonRefusal extends Error {
  override readonly name = 'DaemonRefusal';
  readonly code: number;
  readonly hint: string | undefined;
  readonly path: string | undefined;

  constructor({ code, data = {}, message }: RpcError) {
    super(message);
    const { hint, path } = data;
    this.code = code;
    this.hint = typeof hint === 'string' ? hint : undefined;
    this.path = typeof path === 'string' ? path : undefined;
  }
}
