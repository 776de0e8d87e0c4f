import { computed, type ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { moment, quantity, text, told, type Arguments, type MessageId } from '.';
import type { Messages } from './messages.gen';

type Given<Id extends MessageId> = Messages[Id] extends undefined ? { args?: undefined } : { args: Messages[Id] };

/**
 * A text that follows the language, and the inputs that it is made of.
 *
 * @param write makes the text; what it reads of signals is followed by itself.
 * @param inputs what else it depends on.
 */
export function useLive(write: () => string, inputs: readonly unknown[]): ReadonlySignal<string> {
  return useMemo(() => computed(write), inputs);
}

/** A message of the page. Only its text node changes when the language does. */
export function T<Id extends MessageId>(props: { id: Id } & Given<Id>): JSX.Element {
  const shown = useLive(() => (text as (id: Id, args?: unknown) => string)(props.id, props.args), [
    props.id,
    JSON.stringify(props.args),
  ]);
  return <>{shown}</>;
}

/** A message that the server named. */
export function Told(props: { id: string; args?: Arguments | undefined }): JSX.Element {
  const shown = useLive(() => told(props.id, props.args), [props.id, JSON.stringify(props.args)]);
  return <>{shown}</>;
}

/** A quantity in the reader's digits. */
export function Quantity(props: { name: string; value: unknown }): JSX.Element {
  const shown = useLive(() => quantity(props.name, props.value), [props.name, props.value]);
  return <>{shown}</>;
}

/** A moment in the reader's calendar and clock. */
export function Moment(props: { seconds: number }): JSX.Element {
  const shown = useLive(() => moment(props.seconds), [props.seconds]);
  const then = new Date(props.seconds * 1000);
  if (Number.isNaN(then.getTime())) return <>—</>;
  return (
    <time dateTime={then.toISOString()}>
      <>{shown}</>
    </time>
  );
}
