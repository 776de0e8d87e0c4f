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

/** Follow a run until the returned function is called. */
export function follow(name: string, listener: Listener): () => void {
  const source = new EventSource(`/api/v1/runs/${encodeURIComponent(name)}/stream`);
  const status = (message: MessageEvent<string>): void => {
    listener.onConnection(true);
    listener.onStatus((JSON.parse(message.data) as { status: string }).status);
  };
  source.addEventListener('hello', status);
  source.addEventListener('status', status);
  source.addEventListener('records', (message: MessageEvent<string>) => {
    const told = JSON.parse(message.data) as Told[];
    const metrics = told.filter(({ kind }) => kind === 'metric').map(({ record }) => record);
    const events = told.filter(({ kind }) => kind === 'event').map(({ record }) => record as unknown as RunEvent);
    if (metrics.length) listener.onMetrics(metrics);
    if (events.length) listener.onEvents(events);
  });
  source.addEventListener('error', () => listener.onConnection(false));
  return () => source.close();
}
