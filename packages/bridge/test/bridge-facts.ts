/** What a bridge prints when it is ready. */
export interface BridgeFacts {
  readonly listen: readonly string[];
  readonly listen_tls: readonly string[];
  readonly listen_ws: readonly string[];
  readonly stats: string;
  readonly metrics: string;
}
