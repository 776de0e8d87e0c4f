import { render } from 'preact';
import { App } from './app';
import { start } from './i18n';
import './style.css';

interface About {
  readonly locales: Record<string, Record<string, string>>;
}

/** The server writes into the page what it needs first, which saves a request. */
async function about(): Promise<About> {
  const written = document.querySelector<HTMLMetaElement>('meta[name="headway"]')?.content;
  if (written) return JSON.parse(written) as About;
  return (await (await fetch('/api/v1/about')).json()) as About;
}

await start((await about()).locales);
render(<App />, document.getElementById('app')!);
