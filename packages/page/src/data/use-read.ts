/**
 * A document for a component: read when the request or the revision changes. The last answer stays until the next one
 * arrives, so that nothing flickers while the chain moves.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ReadFailure, type ReadRequest, readDocument } from './read.ts';

export interface Reading<T> {
  readonly request: ReadRequest | undefined;
  readonly document: T | undefined;
  readonly failure: ReadFailure | undefined;
  readonly isLoading: boolean;
}

export function useRead<T>(request: ReadRequest | undefined, revision: unknown = 0): Reading<T> {
  const key = request === undefined ? '' : JSON.stringify(request);
  const [state, setState] = useState<{ key: string } & Omit<Reading<T>, 'request'>>({
    key: '',
    document: undefined,
    failure: undefined,
    isLoading: request !== undefined,
  });
  const current = useRef('');
  useEffect(() => {
    current.current = key;
    if (request === undefined) return undefined;
    const ending = new AbortController();
    const settle = (next: Omit<Reading<T>, 'request'>): void => {
      if (!ending.signal.aborted && current.current === key) setState({ key, ...next });
    };
    readDocument<T>(request, ending.signal)
      .then((document) => settle({ document, failure: undefined, isLoading: false }))
      .catch((error: unknown) => {
        const failure =
          error instanceof ReadFailure
            ? error
            : new ReadFailure(undefined, 'failed', String(error));
        settle({ document: undefined, failure, isLoading: false });
      });
    return () => ending.abort();
  }, [key, revision]);
  if (state.key !== key) {
    return { request, document: undefined, failure: undefined, isLoading: request !== undefined };
  }
  return { request, ...state };
}
