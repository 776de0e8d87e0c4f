import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { diagnose, type Diagnosis } from '../api';
import { percent } from '../i18n';
import { T, Told, useLive } from '../i18n/Text';
import { ProblemNote, problemOf, Waiting, type Loaded } from '../loading';

export function DiagnosePage(): JSX.Element {
  const state = useSignal<Loaded<Diagnosis> | null>(null);
  const isWaiting = useSignal(false);
  const isOver = useSignal(false);
  const explain = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    isWaiting.value = true;
    try {
      state.value = { value: await diagnose(file) };
    } catch (error) {
      state.value = { problem: problemOf(error) };
    }
    isWaiting.value = false;
  };
  return (
    <>
      <h1><T id="ui-diagnose" /></h1>
      <label
        class={isOver.value ? 'drop over' : 'drop'}
        onDragOver={(event) => (event.preventDefault(), (isOver.value = true))}
        onDragLeave={() => (isOver.value = false)}
        onDrop={(event) => {
          event.preventDefault();
          isOver.value = false;
          void explain(event.dataTransfer?.files[0]);
        }}
      >
        <T id="ui-diagnose-drop" />
        <input type="file" onChange={(event) => void explain(event.currentTarget.files?.[0])} />
      </label>
      <p class="hint"><T id="ui-diagnose-private" /></p>
      {isWaiting.value ? <Waiting /> : null}
      {state.value?.problem === undefined ? null : <ProblemNote problem={state.value.problem} />}
      {state.value?.value === undefined ? null : <DiagnosisView diagnosis={state.value.value} />}
    </>
  );
}

/** The root cause, how sure, the lines that show it, which rank failed first, and what to do. */
export function DiagnosisView(props: { diagnosis: Diagnosis }): JSX.Element {
  const { diagnosis } = props;
  const sure = useLive(() => percent(diagnosis.confidence), [diagnosis.confidence]);
  const { rank, host } = diagnosis.first_failure ?? {};
  return (
    <article class="diagnosis">
      <p class="cause">
        <strong><Told id={`diagnosis-cause-${diagnosis.cause}`} /></strong> <span>{sure}</span>
      </p>
      {rank == null && host == null ? null : (
        <p><T id="ui-diagnose-first" args={{ rank: rank ?? '—', host: host ?? '—' }} /></p>
      )}
      {diagnosis.remedies.length === 0 ? null : (
        <>
          <h3><T id="ui-diagnose-remedies" /></h3>
          <ul>
            {diagnosis.remedies.map((remedy) => (
              <li key={remedy}><Told id={`diagnosis-remedy-${remedy}`} args={diagnosis.numbers} /></li>
            ))}
          </ul>
        </>
      )}
      {diagnosis.evidence.length === 0 ? null : (
        <>
          <h3><T id="ui-diagnose-evidence" /></h3>
          <pre dir="ltr" tabIndex={0}>{diagnosis.evidence.map((one) => `${one.file ?? ''}:${one.line ?? ''}  ${one.text}`).join('\n')}</pre>
        </>
      )}
    </article>
  );
}
