/**
 * Which screen is shown: the path below that of the page, kept in the browser's history. Links of the page are ordinary links;
 * a click on one is followed without loading the page anew.
 */
import { computed, signal } from '@preact/signals';

/** The base path of the screens; set by the bundler. */
const BASE = PAGE_BASE;
/** The first screen. */
export const HOME: string = BASE === '' ? '/' : BASE;
/** Documents of a server whose screens are at its root. */
const DOCUMENTS = '/v1/';

const location$ = signal(location.pathname);

/** The parts of the path below that of the page. */
export const segments = computed(() =>
  location$.value.slice(BASE.length).split('/').filter(Boolean).map(decodeURIComponent),
);

export function href(...parts: readonly (string | number)[]): string {
  return [BASE, ...parts.map((part) => encodeURIComponent(part))].join('/');
}

export function navigate(to: string): void {
  if (to === location.pathname) return;
  history.pushState(null, '', to);
  location$.value = location.pathname;
  scrollTo(0, 0);
  // A reader who cannot see the screen change is taken to its heading.
  requestAnimationFrame(() => document.querySelector('h1')?.focus({ preventScroll: true }));
}

/** Shows another screen instead of the requested one, which the history leaves out. */
export function redirect(to: string): void {
  history.replaceState(null, '', to);
  location$.value = location.pathname;
}

export function startRouter(): void {
  addEventListener('popstate', () => {
    location$.value = location.pathname;
  });
  addEventListener('click', (event) => {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented || !(event.target instanceof Element)) return;
    const link = event.target.closest('a');
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const { origin, pathname } = new URL(link.href, location.href);
    const isOurs =
      (pathname === BASE || pathname.startsWith(`${BASE}/`)) && !pathname.startsWith(DOCUMENTS);
    if (origin !== location.origin || !isOurs || link.hash !== '') return;
    event.preventDefault();
    navigate(pathname);
  });
}
