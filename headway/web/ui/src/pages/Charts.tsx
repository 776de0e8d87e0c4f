/** The charts of one run or several: axis, scale, zoom to full resolution, and new steps as they are done. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { readMetrics, readSeries } from '../api';
import { Chart, colourOf, type Line } from '../charts/Chart';
import { has, text, told } from '../i18n';
import { T, useLive } from '../i18n/Text';
import { useLoaded, Shown } from '../loading';

const BUCKETS = 1000;
const AXES = ['step', 'tokens', 'time'] as const;
/** Shown first, in this order; others follow as the log has them. */
const FIRST = ['loss', 'tokens_per_second', 'gradient_norm', 'learning_rate', 'step_seconds', 'resident_bytes'];
const HIDDEN = new Set(['step', 'time', 'tokens', 'steps_since_start']);

/** What a metric is called; one that somebody else's program reports is shown by its own name. */
export function nameOf(metric: string): string {
  const id = [`ui-metric-${metric}`, `quantity-${metric}`].find(has);
  return id === undefined ? metric : told(id);
}

/**
 * @param runs names of the runs, drawn over each other.
 * @param version changes when there are new steps to draw.
 */
export function Charts(props: { runs: readonly string[]; version: number }): JSX.Element {
  const axis = useSignal<(typeof AXES)[number]>('step');
  const range = useSignal<[number, number] | null>(null);
  const isLogarithmic = useSignal(false);
  const names = useLoaded(async () => {
    const found = await Promise.all(props.runs.map(readMetrics));
    const all = [...new Set(found.flatMap((one) => one.names))].filter((name) => !HIDDEN.has(name));
    return [...FIRST.filter((name) => all.includes(name)), ...all.filter((name) => !FIRST.includes(name))];
  }, [props.runs.join('/'), props.version === 0]);
  return (
    <section aria-labelledby="charts">
      <div class="bar">
        <h2 id="charts"><T id="ui-charts" /></h2>
        <fieldset class="choice">
          <legend class="unseen"><T id="ui-axis" /></legend>
          {AXES.map((name) => (
            <label key={name}>
              <input type="radio" name="axis" checked={axis.value === name} onChange={() => ((axis.value = name), (range.value = null))} />
              {name === 'step' ? <T id="ui-axis-step" /> : name === 'tokens' ? <T id="ui-axis-tokens" /> : <T id="ui-axis-time" />}
            </label>
          ))}
        </fieldset>
        <label>
          <input type="checkbox" checked={isLogarithmic.value} onChange={() => (isLogarithmic.value = !isLogarithmic.value)} />
          <T id="ui-logarithmic" />
        </label>
        <button disabled={range.value === null} onClick={() => (range.value = null)}><T id="ui-zoom-out" /></button>
      </div>
      {props.runs.length > 1 ? <Legend runs={props.runs} /> : null}
      <Shown of={names.value}>
        {(metrics) =>
          metrics.length === 0 ? (
            <p class="note"><T id="ui-charts-none" /></p>
          ) : (
            <div class="charts">
              {metrics.slice(0, 12).map((metric) => (
                <Metric
                  key={metric}
                  metric={metric}
                  runs={props.runs}
                  axis={axis.value}
                  range={range.value}
                  isLogarithmic={isLogarithmic.value}
                  version={props.version}
                  onZoom={(chosen) => (range.value = chosen)}
                />
              ))}
            </div>
          )
        }
      </Shown>
    </section>
  );
}

/** Which line is whose: every chart gives a run the same colour. */
function Legend(props: { runs: readonly string[] }): JSX.Element {
  return (
    <ul class="legend">
      {props.runs.map((run, index) => (
        <li key={run}>
          <svg width="16" height="10" aria-hidden="true">
            <rect y="3" width="16" height="4" fill={colourOf(index)} />
          </svg>
          <a href={`/runs/${encodeURIComponent(run)}`}><bdi>{run}</bdi></a>
        </li>
      ))}
    </ul>
  );
}

interface MetricProps {
  readonly metric: string;
  readonly runs: readonly string[];
  readonly axis: string;
  readonly range: [number, number] | null;
  readonly isLogarithmic: boolean;
  readonly version: number;
  readonly onZoom: (range: [number, number] | null) => void;
}

function Metric(props: MetricProps): JSX.Element {
  const lines = useSignal<readonly Line[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const read = async (run: string, index: number): Promise<Line | null> => {
      try {
        const { series } = await readSeries(run, [props.metric], props.axis, props.range, BUCKETS);
        return series[0] === undefined ? null : { label: run, colour: colourOf(index), series: series[0] };
      } catch {
        // A run without this metric has no line.
        return null;
      }
    };
    void Promise.all(props.runs.map(read)).then((found) => {
      if (isCurrent) lines.value = found.filter((line): line is Line => line !== null);
    });
    return () => {
      isCurrent = false;
    };
  }, [props.runs.join('/'), props.metric, props.axis, props.range, props.version]);
  const title = useLive(() => nameOf(props.metric), [props.metric]);
  const empty = useLive(() => text('ui-loading'), []);
  return (
    <Chart
      title={lines.value.length > 0 ? title.value : empty.value}
      metric={props.metric}
      axis={props.axis}
      lines={lines.value}
      logarithmic={props.isLogarithmic}
      onZoom={props.onZoom}
    />
  );
}
