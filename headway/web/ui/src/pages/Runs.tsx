import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { listRuns, type Summary } from '../api';
import { text, told } from '../i18n';
import { Moment, Quantity, T, Told, useLive } from '../i18n/Text';
import { ProblemNote, problemOf, Waiting, type Loaded } from '../loading';
import { go } from '../router';

const LOOK_MILLISECONDS = 2000;

export function RunsPage(): JSX.Element {
  const state = useSignal<Loaded<Summary[]>>({});
  const wanted = useSignal('');
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  useEffect(() => {
    let timer = 0;
    let isGone = false;
    const look = async (): Promise<void> => {
      try {
        state.value = { value: (await listRuns()).runs.reverse() };
      } catch (error) {
        state.value = { ...state.value, problem: problemOf(error) };
      }
      // A page that nobody sees asks for nothing.
      if (!isGone) timer = window.setTimeout(() => (document.hidden ? wait() : void look()), LOOK_MILLISECONDS);
    };
    const wait = (): void => document.addEventListener('visibilitychange', () => void look(), { once: true });
    void look();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, []);
  const shown = useComputed(() =>
    (state.value.value ?? []).filter((run) => run.name.toLowerCase().includes(wanted.value.trim().toLowerCase())),
  );
  const placeholder = useLive(() => text('ui-runs-filter'), []);
  const toggle = (name: string): void => {
    const next = new Set(chosen.value);
    if (!next.delete(name)) next.add(name);
    chosen.value = next;
  };
  const { value, problem } = state.value;
  return (
    <>
      <div class="bar">
        <h1>
          <T id="ui-runs" />
        </h1>
        <input
          type="search"
          placeholder={placeholder}
          aria-label={placeholder}
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
        <button disabled={chosen.value.size < 2} onClick={() => go(`/compare?${[...chosen.value].map((name) => `run=${encodeURIComponent(name)}`).join('&')}`)}>
          <T id="ui-runs-compare" args={{ count: chosen.value.size }} />
        </button>
      </div>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {value === undefined && problem === undefined ? <Waiting /> : null}
      {value !== undefined && value.length === 0 ? (
        <p class="note">
          <T id="ui-runs-none" />
        </p>
      ) : null}
      {shown.value.length > 0 ? <RunTable runs={shown.value} chosen={chosen.value} onToggle={toggle} /> : null}
    </>
  );
}

interface TableProps {
  readonly runs: readonly Summary[];
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
}

function RunTable(props: TableProps): JSX.Element {
  return (
    <div class="scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>
              <span class="unseen">
                <T id="ui-runs-choose" />
              </span>
            </th>
            <th scope="col"><T id="ui-column-name" /></th>
            <th scope="col"><T id="ui-column-status" /></th>
            <th scope="col"><T id="ui-column-progress" /></th>
            <th scope="col" class="number"><T id="ui-column-loss" /></th>
            <th scope="col" class="number"><T id="ui-column-validation" /></th>
            <th scope="col" class="number"><T id="ui-column-speed" /></th>
            <th scope="col"><T id="ui-column-changed" /></th>
          </tr>
        </thead>
        <tbody>
          {props.runs.map((run) => (
            <Row key={run.name} run={run} isChosen={props.chosen.has(run.name)} onToggle={props.onToggle} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: { run: Summary; isChosen: boolean; onToggle: (name: string) => void }): JSX.Element {
  const { run } = props;
  return (
    <tr>
      <td>
        <input type="checkbox" aria-label={run.name} checked={props.isChosen} onChange={() => props.onToggle(run.name)} />
      </td>
      <th scope="row">
        <a href={`/runs/${encodeURIComponent(run.name)}`}>
          <bdi>{run.name}</bdi>
        </a>
      </th>
      <td>
        <Status status={run.status} />
        {run.error === undefined ? null : (
          <small class="problem-text"><Told id={run.error.id} args={run.error.arguments} /></small>
        )}
      </td>
      <td>
        {run.steps === undefined ? null : <Progress step={run.step ?? 0} steps={run.steps} />}
      </td>
      <td class="number"><Quantity name="loss" value={run.loss} /></td>
      <td class="number"><Quantity name="loss" value={run.validation_loss} /></td>
      <td class="number"><Quantity name="tokens_per_second" value={run.tokens_per_second} /></td>
      <td>{run.changed_at == null ? null : <Moment seconds={run.changed_at} />}</td>
    </tr>
  );
}

export function Status(props: { status: string }): JSX.Element {
  const shown = useLive(() => told(`status-${props.status}`), [props.status]);
  return <span class={`status ${props.status}`}>{shown}</span>;
}

function Progress(props: { step: number; steps: number }): JSX.Element {
  return (
    <span class="progress">
      <progress value={props.step} max={props.steps} aria-label={`${props.step} / ${props.steps}`} />
      <small>
        <Quantity name="step" value={props.step} /> / <Quantity name="step" value={props.steps} />
      </small>
    </span>
  );
}
