/**
 * An action that a reader started: whether it still runs, and its result.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

export interface Doing {
  readonly isBusy: boolean;
  readonly said: ComponentChildren;
  start(work: () => Promise<ComponentChildren>): void;
}

/** Runs one action at a time and keeps its message. */
export function useDoing(): Doing {
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState<ComponentChildren>(null);
  return {
    isBusy,
    said,
    start: (work) => {
      setBusy(true);
      setSaid(null);
      work()
        .then(setSaid)
        .catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          setSaid(<span class="no">{reason}</span>);
        })
        .finally(() => setBusy(false));
    },
  };
}

export function Said({ doing }: { doing: Doing }): JSX.Element {
  return (
    <p class="said" role="status">
      {doing.isBusy ? 'Working …' : doing.said}
    </p>
  );
}
