/** What is asked of the server: shown when it is there, and what went wrong in its place where it is not. */
import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { ApiError, type Problem } from './api';
import { has, told } from './i18n';
import { T, Told } from './i18n/Text';

export interface Loaded<Value> {
  readonly value?: Value;
  readonly problem?: Problem;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem;
  return { id: 'ui-error-page', arguments: { reason: error instanceof Error ? error.message : String(error) } };
}

/** Ask once for each set of inputs; an answer that comes too late is dropped, and the last one stays until the next. */
export function useLoaded<Value>(read: () => Promise<Value>, inputs: readonly unknown[]): Signal<Loaded<Value>> {
  const state = useSignal<Loaded<Value>>({});
  useEffect(() => {
    let isCurrent = true;
    read().then(
      (value) => {
        if (isCurrent) state.value = { value };
      },
      (error: unknown) => {
        if (isCurrent) state.value = { ...(state.value.value === undefined ? {} : { value: state.value.value }), problem: problemOf(error) };
      },
    );
    return () => {
      isCurrent = false;
    };
  }, inputs);
  return state;
}

export function ProblemNote(props: { problem: Problem }): JSX.Element {
  const { id, arguments: given } = props.problem;
  // Read once so that the catalogue is on its way.
  void told(id, given);
  return (
    <div class="note problem" role="alert">
      <p>
        <Told id={id} args={given} />
      </p>
      {has(`${id}.next`) ? (
        <p class="next">
          <Told id={`${id}.next`} args={given} />
        </p>
      ) : null}
    </div>
  );
}

export function Waiting(): JSX.Element {
  return (
    <p class="note" aria-busy="true">
      <T id="ui-loading" />
    </p>
  );
}

export function Shown<Value>(props: { of: Loaded<Value>; children: (value: Value) => ComponentChildren }): JSX.Element {
  const { value, problem } = props.of;
  return (
    <>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {value === undefined ? problem === undefined ? <Waiting /> : null : props.children(value)}
    </>
  );
}
