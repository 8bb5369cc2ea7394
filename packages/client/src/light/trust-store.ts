/**
 * Stores for what a light client trusts: in memory, and in a browser. `file-store.ts` has the one for Node.
 */

/** Where a light client keeps what it trusts between two starts: one text for each chain. */
export interface TrustStore {
  load(): Promise<string | undefined>;
  /** Resolves when the text is kept. */
  save(text: string): Promise<void>;
}

/** Keeps what is trusted as long as the program runs. */
export function memoryStore(text?: string): TrustStore {
  let kept = text;
  return {
    load: async () => kept,
    save: async (next) => {
      kept = next;
    },
  };
}

/** The part of a browser's database that is used here, so that callers need no types of browsers. */
interface DatabaseRequest {
  readonly result: unknown;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
  onupgradeneeded?: (() => void) | null;
}

interface Database {
  createObjectStore(name: string): unknown;
  close(): void;
  transaction(
    name: string,
    mode: 'readonly' | 'readwrite',
  ): {
    objectStore(name: string): {
      get(key: string): DatabaseRequest;
      put(value: string, key: string): DatabaseRequest;
    };
  };
}

const STORE = 'trust';

/** Keeps what is trusted in the IndexedDB of the browser under a name; use one name for each chain. */
export function indexedDbStore(name: string): TrustStore {
  const factory = (globalThis as { indexedDB?: { open(name: string): DatabaseRequest } }).indexedDB;
  if (factory === undefined) throw new TypeError('this environment has no IndexedDB');
  const use = async <T>(
    mode: 'readonly' | 'readwrite',
    ask: (store: ReturnType<ReturnType<Database['transaction']>['objectStore']>) => DatabaseRequest,
  ): Promise<T> => {
    const opening = factory.open(`svc-${name}`);
    opening.onupgradeneeded = () => (opening.result as Database).createObjectStore(STORE);
    const database = await answerOf<Database>(opening);
    try {
      return await answerOf<T>(ask(database.transaction(STORE, mode).objectStore(STORE)));
    } finally {
      database.close();
    }
  };
  return {
    load: () => use<string | undefined>('readonly', (store) => store.get(STORE)),
    save: async (text) => {
      await use('readwrite', (store) => store.put(text, STORE));
    },
  };
}

function answerOf<T>(request: DatabaseRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as T);
    request.onerror = () => reject(request.error);
  });
}
