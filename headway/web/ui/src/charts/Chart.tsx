import { effect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Series } from '../api';
import { language, quantity } from '../i18n';
import { theme } from '../theme';

/** Drawn beside the line of each run, in this order; told apart also by those who see few colours (Okabe and Ito 2008). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#8c6d31', '#7f7f7f'];

/** The colour of the run at a place among those that are compared. */
export const colourOf = (index: number): string => COLOURS[index % COLOURS.length]!;

export interface Line {
  readonly label: string;
  readonly colour: string;
  readonly series: Series;
}

interface Props {
  readonly title: string;
  readonly metric: string;
  readonly axis: string;
  readonly lines: readonly Line[];
  readonly logarithmic: boolean;
  readonly onZoom: (range: [number, number] | null) => void;
}

const HEIGHT = 220;

/** One metric of one run or several: the mean as a line, its spread as a band, and a mark where it was not finite. */
export function Chart(props: Props): JSX.Element {
  const holder = useRef<HTMLDivElement>(null);
  const zoom = useRef(props.onZoom);
  zoom.current = props.onZoom;

  useEffect(() => {
    const place = holder.current;
    if (place === null || props.lines.length === 0) return undefined;
    let plot: uPlot | undefined;
    // The language and the theme are read in here: another one draws the axes anew, from the same data.
    const stop = effect(() => {
      void language.value;
      void theme.value;
      plot?.destroy();
      plot = draw(place, props, (range) => zoom.current(range));
    });
    const watcher = new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height: HEIGHT }));
    watcher.observe(place);
    return () => {
      stop();
      watcher.disconnect();
      plot?.destroy();
    };
  }, [props.lines, props.logarithmic, props.axis, props.metric]);

  return (
    <figure class="chart">
      <figcaption>{props.title}</figcaption>
      <div ref={holder} role="img" aria-label={props.title} style={{ minHeight: `${HEIGHT}px` }} />
    </figure>
  );
}

function draw(place: HTMLElement, props: Props, onZoom: (range: [number, number] | null) => void): uPlot {
  const styles = getComputedStyle(place);
  const ink = styles.getPropertyValue('--muted').trim();
  const grid = { stroke: styles.getPropertyValue('--grid').trim(), width: 1 };
  const tables = props.lines.map(({ series }) => [
    series.last,
    series.mean,
    series.low,
    series.high,
  ]) as unknown as uPlot.AlignedData[];
  const data = tables.length > 1 ? uPlot.join(tables) : tables[0]!;
  const series: uPlot.Series[] = [{ label: props.axis, value: (_, value) => (value == null ? '' : axisText(props.axis, value)) }];
  const bands: uPlot.Band[] = [];
  props.lines.forEach(({ label, colour }) => {
    const first = series.length;
    series.push(
      { label, stroke: colour, width: 1.5, spanGaps: false, value: (_, value) => (value == null ? '' : quantity(props.metric, value)) },
      { show: true, stroke: 'transparent', width: 0, points: { show: false } },
      { show: true, stroke: 'transparent', width: 0, points: { show: false } },
    );
    bands.push({ series: [first + 2, first + 1], fill: `${colour}33` });
  });
  const lost = props.lines.flatMap(({ series: one }) => one.last.filter((_, at) => (one.non_finite[at] ?? 0) > 0));
  const options: uPlot.Options = {
    width: place.clientWidth,
    height: HEIGHT,
    series,
    bands,
    legend: { show: false },
    cursor: { drag: { x: true, y: false, setScale: false } },
    scales: { x: { time: false }, y: { distr: props.logarithmic ? 3 : 1 } },
    axes: [
      { stroke: ink, grid, ticks: grid, values: (_, splits) => splits.map((value) => axisText(props.axis, value)) },
      { stroke: ink, grid, ticks: grid, size: widthOf, values: (_, splits) => splits.map((value) => (value == null ? '' : quantity(props.metric, value))) },
    ],
    hooks: {
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width > 4) onZoom([plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')]);
        },
      ],
      draw: [(plot) => markLost(plot, lost)],
    },
  };
  const plot = new uPlot(options, data, place);
  plot.over.addEventListener('dblclick', () => onZoom(null));
  return plot;
}

/** As wide as the longest number is in this language. */
function widthOf(plot: uPlot, values: string[] | null): number {
  const longest = (values ?? []).reduce((found, one) => (one.length > found.length ? one : found), '');
  return Math.ceil(plot.ctx.measureText(longest).width / devicePixelRatio) + 20;
}

/** Mark where a value was NaN or infinite: it has no place on the line, and is what people look for. */
function markLost(plot: uPlot, lost: readonly number[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = '#d11149';
  ctx.setLineDash([4, 3]);
  for (const value of lost) {
    const x = plot.valToPos(value, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

function axisText(axis: string, value: number): string {
  if (axis === 'time') return new Intl.DateTimeFormat([language.value, 'en'], { timeStyle: 'short' }).format(value * 1000);
  return quantity(axis, value);
}
