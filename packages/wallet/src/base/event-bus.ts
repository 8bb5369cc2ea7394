/**
 * Hands events to whoever listens, after the commit that made them.
 */
import type { StoredEvent } from '../state/events.ts';

export type EventListener = (event: StoredEvent) => void;

export class EventBus {
  readonly #listeners = new Set<EventListener>();

  on(listener: EventListener): () => void {
    const own: EventListener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  emit(events: readonly StoredEvent[]): void {
    for (const event of events) {
      for (const listener of [...this.#listeners]) listener(event);
    }
  }
}
