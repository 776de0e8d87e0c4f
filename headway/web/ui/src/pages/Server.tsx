import type { JSX } from 'preact';
import { readProbe } from '../api';
import { Quantity, T, Told } from '../i18n/Text';
import { Shown, useLoaded } from '../loading';

interface Advice {
  readonly id: string;
  readonly level: string;
  readonly arguments: Record<string, unknown>;
}

interface Probe {
  readonly inventory: {
    readonly processor: { readonly model_name: string | null; readonly usable_cores: number; readonly instruction_sets: string[]; readonly num_sockets: number | null };
    readonly memory: { readonly total_bytes: number | null };
    readonly disk: { readonly folder: string; readonly free_bytes: number | null };
    readonly accelerators: readonly { readonly name: string | null }[];
  };
  readonly advice: readonly Advice[];
}

/** What this server is, and what its owner should change. */
export function ServerPage(): JSX.Element {
  const found = useLoaded(async () => (await readProbe()) as unknown as Probe, []);
  return (
    <>
      <h1><T id="ui-server" /></h1>
      <Shown of={found.value}>
        {({ inventory, advice }) => (
          <>
            <dl class="figures">
              <div><dt><T id="ui-server-processor" /></dt><dd><bdi>{inventory.processor.model_name ?? '—'}</bdi></dd></div>
              <div><dt><T id="ui-server-cores" /></dt><dd><Quantity name="cores" value={inventory.processor.usable_cores} /></dd></div>
              <div><dt><T id="ui-server-memory" /></dt><dd><Quantity name="total_bytes" value={inventory.memory.total_bytes} /></dd></div>
              <div><dt><T id="ui-server-disk" /></dt><dd><Quantity name="free_bytes" value={inventory.disk.free_bytes} /></dd></div>
              <div><dt><T id="ui-server-accelerators" /></dt><dd><bdi>{inventory.accelerators.map(({ name }) => name ?? '?').join(', ') || '0'}</bdi></dd></div>
            </dl>
            <h2><T id="ui-server-advice" /></h2>
            {advice.length === 0 ? <p class="note"><T id="ui-server-fine" /></p> : null}
            <ul class="advice">
              {advice.map((one) => (
                <li key={one.id} class={one.level}>
                  <Told id={one.id} args={one.arguments} /> <Told id={`${one.id}.next`} args={one.arguments} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
    </>
  );
}
