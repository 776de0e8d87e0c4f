import type { JSX } from 'preact';
import { available, choose, language, text } from './i18n';
import { T, useLive } from './i18n/Text';
import { Charts } from './pages/Charts';
import { DiagnosePage } from './pages/Diagnose';
import { PlanPage } from './pages/Plan';
import { RunPage } from './pages/Run';
import { RunsPage } from './pages/Runs';
import { ServerPage } from './pages/Server';
import { onClick, path, query } from './router';
import { theme, toggleTheme } from './theme';

export function App(): JSX.Element {
  return (
    <div onClick={onClick}>
      <a class="skip" href="#main"><T id="ui-skip" /></a>
      <Header />
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
    </div>
  );
}

function Header(): JSX.Element {
  const label = useLive(() => text('ui-language'), []);
  const dark = useLive(() => text(theme.value === 'dark' ? 'ui-light' : 'ui-dark'), []);
  return (
    <header>
      <a class="brand" href="/">Headway</a>
      <nav>
        <Tab to="/"><T id="ui-runs" /></Tab>
        <Tab to="/plan"><T id="ui-plan" /></Tab>
        <Tab to="/diagnose"><T id="ui-diagnose" /></Tab>
        <Tab to="/server"><T id="ui-server" /></Tab>
      </nav>
      <select aria-label={label} value={language.value} onChange={(event) => void choose(event.currentTarget.value)}>
        {available().map(({ tag, name }) => (
          <option key={tag} value={tag} lang={tag}>{name}</option>
        ))}
      </select>
      <button class="icon" aria-label={dark} title={dark} onClick={toggleTheme}>◐</button>
    </header>
  );
}

function Tab(props: { to: string; children: JSX.Element }): JSX.Element {
  const isHere = props.to === '/' ? path.value === '/' || path.value.startsWith('/runs/') : path.value === props.to;
  return <a href={props.to} aria-current={isHere ? 'page' : undefined}>{props.children}</a>;
}

function Page(): JSX.Element {
  const [first = '', second = ''] = path.value.split('/').slice(1);
  if (first === '') return <RunsPage />;
  if (first === 'runs' && second) return <RunPage key={second} name={decodeURIComponent(second)} />;
  if (first === 'compare') {
    return (
      <>
        <h1><T id="ui-compare" /></h1>
        <Charts runs={query.value.getAll('run')} version={0} />
      </>
    );
  }
  if (first === 'plan') return <PlanPage />;
  if (first === 'diagnose') return <DiagnosePage />;
  if (first === 'server') return <ServerPage />;
  return <p class="note"><T id="ui-no-page" /></p>;
}
