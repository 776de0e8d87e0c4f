/** What happens to a run, as it happens. The browser itself reconnects, and says where it stopped. */
import type { RunEvent } from './api';

export interface Told {
  readonly kind: 'event' | 'metric';
  readonly record: Record<string, unknown>;
}

export interface Listener {
  readonly onMetrics: (records: Record<string, unknown>[]) => void;
  readonly onEvents: (events: RunEvent[]) => void;
  readonly onStatus: (status: string) => void;
  readonly onConnection: (connected: boolean) => void;
}

/** Of the events from the first on, of the metrics only those that are new: charts read the others themselves. */
const FROM_THE_FIRST = '0.999999999999999999';
const AGAIN_MILLISECONDS = 3000;

/** Follow a run until the returned function is called; the events that it has had are told first. */
export function follow(name: string, listener: Listener): () => void {
  let position = FROM_THE_FIRST;
  let source: EventSource;
  let timer = 0;
  const heard = (message: MessageEvent<string>): void => {
    position = message.lastEventId || position;
    listener.onConnection(true);
  };
  const status = (message: MessageEvent<string>): void => {
    heard(message);
    listener.onStatus((JSON.parse(message.data) as { status: string }).status);
  };
  const records = (message: MessageEvent<string>): void => {
    heard(message);
    const told = JSON.parse(message.data) as Told[];
    const metrics = told.filter(({ kind }) => kind === 'metric').map(({ record }) => record);
    const events = told.filter(({ kind }) => kind === 'event').map(({ record }) => record as unknown as RunEvent);
    if (metrics.length) listener.onMetrics(metrics);
    if (events.length) listener.onEvents(events);
  };
  const open = (): void => {
    source = new EventSource(`/api/v1/runs/${encodeURIComponent(name)}/stream?last_event_id=${position}`);
    source.addEventListener('hello', status);
    source.addEventListener('status', status);
    source.addEventListener('records', records);
    source.addEventListener('error', () => {
      listener.onConnection(false);
      // A browser comes back after a lost connection, but not after an answer that is no stream.
      if (source.readyState === EventSource.CLOSED) timer = window.setTimeout(open, AGAIN_MILLISECONDS);
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
