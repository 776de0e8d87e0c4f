/** What the server is asked, and what it answers: ids and numbers, no sentence. */
import type { Arguments } from './i18n';

export interface Problem {
  readonly id: string;
  readonly arguments: Arguments;
}

/** An answer that is an error of the server, or none at all. */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.id);
  }
}

export interface Summary {
  readonly name: string;
  readonly status: string;
  readonly step?: number;
  readonly steps?: number;
  readonly loss?: number | string | null;
  readonly validation_loss?: number | string | null;
  readonly tokens_per_second?: number | null;
  readonly started_at?: number | null;
  readonly changed_at?: number | null;
  readonly starts?: number;
  readonly error?: Problem;
}

export interface Series {
  readonly metric: string;
  readonly first: number[];
  readonly last: number[];
  readonly low: (number | null)[];
  readonly high: (number | null)[];
  readonly mean: (number | null)[];
  readonly non_finite: number[];
  readonly count: number[];
}

export interface LedgerRow {
  readonly resource: string;
  readonly quantity: string;
  readonly predicted: number | string | null;
  readonly predicted_low?: number | null;
  readonly predicted_high?: number | null;
  readonly measured: number | string | null;
  readonly basis: string;
  readonly error?: number | string | null;
  readonly source?: string;
}

export interface RunEvent {
  readonly time: number;
  readonly event: string;
  readonly [detail: string]: unknown;
}

export interface Diagnosis {
  readonly cause: string;
  readonly confidence: number;
  readonly evidence: readonly { file?: string; line?: number; text: string }[];
  readonly first_failure?: { rank?: number | null; host?: string | null };
  readonly remedies: readonly string[];
  readonly numbers: Readonly<Record<string, unknown>>;
  readonly also_seen?: readonly unknown[];
}

async function ask<Answer>(path: string, options?: RequestInit): Promise<Answer> {
  let answer: Response;
  try {
    answer = await fetch(`/api/v1/${path}`, options);
  } catch {
    throw new ApiError({ id: 'ui-error-server', arguments: {} });
  }
  const body = (await answer.json().catch(() => null)) as { error?: Problem } | null;
  if (body === null) throw new ApiError({ id: 'ui-error-status', arguments: { status: answer.status } });
  if (!answer.ok) throw new ApiError(body.error ?? { id: 'ui-error-status', arguments: { status: answer.status } });
  return body as Answer;
}

const at = (name: string): string => `runs/${encodeURIComponent(name)}`;

export const listRuns = (): Promise<{ runs: Summary[] }> => ask('runs');
export const readRun = (name: string): Promise<Summary> => ask(at(name));
export const readMetrics = (name: string): Promise<{ names: string[]; records: number }> => ask(`${at(name)}/metrics`);
export const readLedger = (name: string): Promise<{ rows: LedgerRow[] }> => ask(`${at(name)}/ledger`);
export const readDiagnosis = (name: string): Promise<Diagnosis> => ask(`${at(name)}/diagnosis`);
export const readProbe = (): Promise<Record<string, unknown>> => ask('probe');

export function readSeries(
  name: string,
  metrics: readonly string[],
  axis: string,
  range: readonly [number, number] | null,
  buckets: number,
): Promise<{ series: Series[] }> {
  const query = new URLSearchParams({ axis, buckets: String(buckets) });
  for (const metric of metrics) query.append('metric', metric);
  if (range !== null) {
    query.set('start', String(range[0]));
    query.set('end', String(range[1]));
  }
  return ask(`${at(name)}/series?${query.toString()}`);
}

export const plan = (recipe: unknown, signal?: AbortSignal): Promise<Record<string, unknown>> =>
  ask('plan', { method: 'POST', body: JSON.stringify(recipe), ...(signal === undefined ? {} : { signal }) });

export const diagnose = (file: File): Promise<Diagnosis> =>
  ask(`diagnose?name=${encodeURIComponent(file.name)}`, { method: 'POST', body: file });
