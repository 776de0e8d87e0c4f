/** Where the reader is: the address, as a signal. */
import { computed, signal } from '@preact/signals';

const address = signal(new URL(location.href));
addEventListener('popstate', () => {
  address.value = new URL(location.href);
});

export const path = computed(() => address.value.pathname);
export const query = computed(() => address.value.searchParams);

/** Go to another page; `replace` leaves no step behind to go back to. */
export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  address.value = new URL(location.href);
  if (!replace) scrollTo(0, 0);
}

/** Follow links within the page without loading it anew; others, and clicks that ask for a new tab, are the browser's. */
export function onClick(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest('a');
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const target = new URL(link.href);
  if (target.origin !== location.origin || link.target || link.hasAttribute('download')) return;
  // A place on this page is the browser's to go to.
  if (target.hash && target.pathname === location.pathname && target.search === location.search) return;
  event.preventDefault();
  go(target.pathname + target.search);
}
