import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { plan } from '../api';
import { quantity, text } from '../i18n';
import { Quantity, T, Told, useLive } from '../i18n/Text';
import { ProblemNote, problemOf, Waiting, type Loaded } from '../loading';
import { go, query } from '../router';

interface Wish {
  readonly preset: string;
  readonly accelerator: string;
  readonly devices: string;
  readonly tokens: string;
}

type Section = Record<string, unknown>;

const WAIT_MILLISECONDS = 150;
const START: Wish = { preset: 'llama-3.1-8b', accelerator: 'h100-sxm-80gb', devices: '64', tokens: '160B' };

function wishOf(parameters: URLSearchParams): Wish {
  const read = (name: keyof Wish): string => parameters.get(name) ?? START[name];
  return { preset: read('preset'), accelerator: read('accelerator'), devices: read('devices'), tokens: read('tokens') };
}

/** A form whose answer is there as it is filled in; the address holds all of it, so that it can be passed on. */
export function PlanPage(): JSX.Element {
  const wish = useSignal<Wish>(wishOf(query.value));
  const state = useSignal<Loaded<Section>>({});
  useEffect(() => {
    const abort = new AbortController();
    const timer = window.setTimeout(() => {
      go(`/plan?${new URLSearchParams({ ...wish.value }).toString()}`, true);
      const recipe = {
        model: { preset: wish.value.preset.trim() },
        training: { tokens: wish.value.tokens.trim() },
        hardware: { accelerator: wish.value.accelerator.trim(), devices: Number(wish.value.devices) || wish.value.devices },
      };
      plan(recipe, abort.signal).then(
        (value) => {
          if (!abort.signal.aborted) state.value = { value };
        },
        (error: unknown) => {
          if (!abort.signal.aborted) state.value = { problem: problemOf(error) };
        },
      );
    }, WAIT_MILLISECONDS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wish.value]);
  const field = (name: keyof Wish, label: JSX.Element, type = 'text'): JSX.Element => (
    <label>
      {label}
      <input type={type} value={wish.value[name]} onInput={(event) => (wish.value = { ...wish.value, [name]: event.currentTarget.value })} />
    </label>
  );
  const { value, problem } = state.value;
  return (
    <>
      <h1><T id="ui-plan" /></h1>
      <form class="form" onSubmit={(event) => event.preventDefault()}>
        {field('preset', <T id="ui-plan-model" />)}
        {field('accelerator', <T id="ui-plan-accelerator" />)}
        {field('devices', <T id="ui-plan-devices" />, 'number')}
        {field('tokens', <T id="ui-plan-tokens" />)}
      </form>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {value === undefined ? problem === undefined ? <Waiting /> : null : <PlanView plan={value} />}
    </>
  );
}

function PlanView(props: { plan: Section }): JSX.Element {
  const section = (name: string): Section => (props.plan[name] ?? {}) as Section;
  const memory = section('memory');
  const time = section('time');
  const rows: [JSX.Element, string, unknown][] = [
    [<T id="ui-plan-memory" />, 'bytes', memory['device_peak_bytes']],
    [<T id="ui-plan-step" />, 'step_seconds', time['step_seconds']],
    [<T id="ui-plan-days" />, 'days', time['total_days']],
    [<T id="ui-plan-mfu" />, 'utilization', time['model_flops_utilization']],
    [<T id="ui-plan-power" />, 'watts', section('power')['facility_watts']],
    [<T id="ui-plan-energy" />, 'joules', section('energy')['facility_joules']],
    [<T id="ui-plan-carbon" />, 'kg_co2e', section('carbon')['operational_kg_co2e']],
    [<T id="ui-plan-cost" />, 'usd', section('cost')['total_usd']],
    [<T id="ui-plan-goodput" />, 'goodput', section('reliability')['goodput']],
  ];
  const problems = (props.plan['infeasible'] ?? []) as { id: string; arguments: Section }[];
  return (
    <>
      <p class={memory['fits'] === true && problems.length === 0 ? 'note good' : 'note problem'}>
        {problems.length === 0 ? <T id="ui-plan-fits" /> : problems.map((one) => <Told key={one.id} id={one.id} args={one.arguments} />)}
      </p>
      <dl class="figures">
        {rows.map(([label, name, value], index) => (
          <div key={index}>
            <dt>{label}</dt>
            <dd><Quantity name={name} value={value} /></dd>
          </div>
        ))}
      </dl>
      <Stack parts={(memory['parts'] ?? {}) as Record<string, number>} capacity={Number(memory['device_capacity_bytes'] ?? 0)} />
    </>
  );
}

const SHADES = ['#0072b2', '#56b4e9', '#009e73', '#e69f00', '#d55e00', '#cc79a7', '#7f7f7f'];

/** What fills the memory of a device, as one bar against its capacity. */
function Stack(props: { parts: Record<string, number>; capacity: number }): JSX.Element {
  const parts = Object.entries(props.parts).filter(([, value]) => value > 0);
  const whole = Math.max(props.capacity, parts.reduce((sum, [, value]) => sum + value, 0));
  const label = useLive(() => text('ui-plan-memory'), []);
  let at = 0;
  return (
    <figure class="stack">
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={label}>
        {parts.map(([name, value], index) => {
          const x = (at / whole) * 100;
          at += value;
          return <rect key={name} x={x} y="0" height="6" width={(value / whole) * 100} fill={SHADES[index % SHADES.length]} />;
        })}
      </svg>
      <ul class="legend">
        {parts.map(([name, value], index) => (
          <Part key={name} name={name} value={value} colour={SHADES[index % SHADES.length]!} />
        ))}
      </ul>
    </figure>
  );
}

function Part(props: { name: string; value: number; colour: string }): JSX.Element {
  const shown = useLive(() => quantity('bytes', props.value), [props.value]);
  return (
    <li>
      <span class="swatch" style={{ background: props.colour }} /> <PartName name={props.name} />: {shown}
    </li>
  );
}

function PartName(props: { name: string }): JSX.Element {
  switch (props.name) {
    case 'parameters_bytes':
      return <T id="ui-part-parameters" />;
    case 'gradients_bytes':
      return <T id="ui-part-gradients" />;
    case 'optimizer_bytes':
      return <T id="ui-part-optimizer" />;
    case 'activations_bytes':
      return <T id="ui-part-activations" />;
    case 'logits_bytes':
      return <T id="ui-part-logits" />;
    case 'communication_bytes':
      return <T id="ui-part-communication" />;
    default:
      return <T id="ui-part-reserve" />;
  }
}
