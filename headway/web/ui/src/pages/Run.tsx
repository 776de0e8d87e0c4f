import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { readDiagnosis, readLedger, readRun, type LedgerRow, type Problem, type RunEvent, type Summary } from '../api';
import { has, percent, quantity, text, told, type Arguments } from '../i18n';
import { Moment, Quantity, T, Told, useLive } from '../i18n/Text';
import { Shown, useLoaded } from '../loading';
import { follow } from '../stream';
import { Charts, nameOf } from './Charts';
import { DiagnosisView } from './Diagnose';
import { Status } from './Runs';

/** Charts are drawn anew at most so often while a run trains. */
const DRAW_MILLISECONDS = 1000;

export function RunPage(props: { name: string }): JSX.Element {
  const version = useSignal(0);
  const status = useSignal<string | null>(null);
  const isConnected = useSignal(true);
  const events = useSignal<readonly RunEvent[]>([]);
  const latest = useSignal<Readonly<Record<string, unknown>>>({});
  const summary = useLoaded(() => readRun(props.name), [props.name, status.value]);
  useEffect(() => {
    let timer = 0;
    version.value = 0;
    events.value = [];
    latest.value = {};
    const drawSoon = (): void => {
      timer ||= window.setTimeout(() => {
        timer = 0;
        version.value += 1;
      }, DRAW_MILLISECONDS);
    };
    const stop = follow(props.name, {
      onMetrics: (records) => {
        latest.value = { ...latest.value, ...records[records.length - 1] };
        drawSoon();
      },
      onEvents: (found) => {
        events.value = [...events.value, ...found];
        const evaluated = found.filter(({ event }) => event === 'evaluated').pop();
        if (evaluated !== undefined) latest.value = { ...latest.value, validation_loss: evaluated['loss'] };
      },
      onStatus: (now) => (status.value = now),
      onConnection: (now) => (isConnected.value = now),
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [props.name]);
  return (
    <>
      <div class="bar">
        <h1><bdi>{props.name}</bdi></h1>
        {status.value === null ? null : <Status status={status.value} />}
        {isConnected.value ? null : <span class="status interrupted"><T id="ui-disconnected" /></span>}
      </div>
      <Shown of={summary.value}>{(found) => <Figures run={found} latest={latest.value} />}</Shown>
      {status.value === 'failed' || status.value === 'interrupted' ? <Why name={props.name} /> : null}
      <Charts runs={[props.name]} version={version.value} />
      <Ledger name={props.name} version={status.value} />
      <Events events={events.value} />
    </>
  );
}

function Figures(props: { run: Summary; latest: Readonly<Record<string, unknown>> }): JSX.Element {
  const known: Readonly<Record<string, unknown>> = { ...props.run, ...props.latest };
  const rows = ['step', 'loss', 'validation_loss', 'tokens_per_second'].map((name): [string, unknown] => [name, known[name]]);
  return (
    <dl class="figures">
      {rows.map(([name, value]) => (
        <Figure key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function Figure(props: { name: string; value: unknown }): JSX.Element {
  const label = useLive(() => nameOf(props.name), [props.name]);
  return (
    <div>
      <dt>{label}</dt>
      <dd><Quantity name={props.name} value={props.value} /></dd>
    </div>
  );
}

function Why(props: { name: string }): JSX.Element {
  const found = useLoaded(() => readDiagnosis(props.name), [props.name]);
  return (
    <section aria-labelledby="why">
      <h2 id="why"><T id="ui-why" /></h2>
      <Shown of={found.value}>{(diagnosis) => <DiagnosisView diagnosis={diagnosis} />}</Shown>
    </section>
  );
}

function Ledger(props: { name: string; version: unknown }): JSX.Element {
  const found = useLoaded(() => readLedger(props.name), [props.name, props.version]);
  return (
    <section aria-labelledby="ledger">
      <h2 id="ledger"><T id="ui-ledger" /></h2>
      <Shown of={found.value}>
        {({ rows }) => (
          <div class="scroll" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col"><T id="ui-column-resource" /></th>
                  <th scope="col"><T id="ui-column-quantity" /></th>
                  <th scope="col" class="number"><T id="ui-column-predicted" /></th>
                  <th scope="col" class="number"><T id="ui-column-measured" /></th>
                  <th scope="col"><T id="ui-column-error" /></th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <LedgerLine key={`${row.quantity}${row.source ?? ''}`} row={row} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Shown>
    </section>
  );
}

function LedgerLine(props: { row: LedgerRow }): JSX.Element {
  const { row } = props;
  const resource = useLive(() => told(`resource-${row.resource}`), [row.resource]);
  const name = useLive(() => nameOf(row.quantity), [row.quantity]);
  const measured = useLive(() => {
    const value = quantity(row.quantity, row.measured);
    return row.basis === 'estimated' ? text('ui-estimated', { value }) : value;
  }, [row.quantity, row.measured, row.basis]);
  return (
    <tr>
      <td>{resource}</td>
      <th scope="row">{name}{row.source ? <bdi> ({row.source})</bdi> : null}</th>
      <td class="number"><Quantity name={row.quantity} value={row.predicted} /></td>
      <td class="number">{measured}</td>
      <td>{typeof row.error === 'number' ? <ErrorBar error={row.error} /> : null}</td>
    </tr>
  );
}

/** How far the measured value is from the predicted one, as a bar to either side: full at 50 %. */
function ErrorBar(props: { error: number }): JSX.Element {
  const shown = useLive(() => (props.error >= 0 ? '+' : '') + percent(props.error), [props.error]);
  const size = Math.min(Math.abs(props.error) * 100, 50);
  const level = Math.abs(props.error) <= 0.1 ? 'near' : Math.abs(props.error) <= 0.25 ? 'off' : 'far';
  return (
    <span class="error-bar">
      <svg width="80" height="10" aria-hidden="true">
        <line x1="40" x2="40" y1="0" y2="10" class="zero" />
        <rect x={props.error < 0 ? 40 - (size * 40) / 50 : 40} y="2" height="6" width={(size * 40) / 50} class={level} />
      </svg>
      <small>{shown}</small>
    </span>
  );
}

const SHOWN_EVENTS = 200;
/** Events that carry a message of their own. */
const NOTICES = new Set(['notice', 'resume-notice', 'checkpoint-damaged']);
/** Events of the supervisor, whose messages are loaded when there is one. */
const ATTEMPTS = new Set(['attempt-failed', 'attempt-stopped', 'hang', 'retrying', 'gave-up']);

/** Return the messages that tell an event; none where it is nothing for people. */
function messagesOf(event: RunEvent): Problem[] {
  if (NOTICES.has(event.event)) return [{ id: String(event['id']), arguments: event['arguments'] as Arguments }];
  if (event.event === 'guard') {
    return [`guard-${String(event['guard'])}`, `guard-action-${String(event['action'])}`].map((id) => ({ id, arguments: event }));
  }
  if (ATTEMPTS.has(event.event)) {
    // The cause is an id here, and a sentence in the message.
    const cause = event['cause'] === undefined ? {} : { cause: told(`diagnosis-cause-${String(event['cause'])}`) };
    return [{ id: `supervisor-${event.event}`, arguments: { ...event, ...cause } }];
  }
  return has(`event-${event.event}`) ? [{ id: `event-${event.event}`, arguments: event }] : [];
}

function Events(props: { events: readonly RunEvent[] }): JSX.Element {
  const shown = props.events.map((event) => [event, messagesOf(event)] as const).filter(([, found]) => found.length > 0);
  return (
    <section aria-labelledby="events">
      <h2 id="events"><T id="ui-events" /></h2>
      <ol class="events">
        {shown.slice(-SHOWN_EVENTS).reverse().map(([event, messages], index) => (
          <li key={`${event.time}${index}`}>
            <Moment seconds={event.time} />
            {messages.map(({ id, arguments: given }) => (
              <span key={id}> <Told id={id} args={given} /></span>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}
