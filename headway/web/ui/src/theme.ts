/** Dark or light: as the system has it, until the reader chooses. */
import { signal } from '@preact/signals';

const REMEMBERED = 'headway-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = signal<'dark' | 'light'>(read());
apply();
system.addEventListener('change', () => {
  theme.value = read();
  apply();
});

function read(): 'dark' | 'light' {
  const chosen = localStorage.getItem(REMEMBERED);
  if (chosen === 'dark' || chosen === 'light') return chosen;
  return system.matches ? 'dark' : 'light';
}

function apply(): void {
  document.documentElement.dataset['theme'] = theme.value;
}

export function toggleTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark';
  localStorage.setItem(REMEMBERED, theme.value);
  apply();
}
