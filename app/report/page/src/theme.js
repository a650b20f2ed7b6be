// Light and dark: the choice of the system until the reader makes another.

const kListeners = [];
const kSystem = window.matchMedia('(prefers-color-scheme: dark)');

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : kSystem.matches;
}

/// listener() is called after each change.
export function onThemeChange(listener) {
  kListeners.push(listener);
}

const kColors = new Map();

function changed() {
  kColors.clear();
  for (const listener of kListeners) listener();
}

const kProbe = document.createElement('span');
kProbe.hidden = true;
document.body.append(kProbe);

/// A colour of the style sheet by the name of its variable, such as `ink` or `series-1`, as `rgb(r, g, b)`.
export function color(name) {
  if (!kColors.has(name)) {
    kProbe.style.color = `var(--${name})`;
    kColors.set(name, getComputedStyle(kProbe).color);
  }
  return kColors.get(name);
}

export const kSeriesColors = 6;

export function seriesColor(index) {
  return color(`series-${(index % kSeriesColors) + 1}`);
}

/// The button that changes between light and dark.
export function themeButton() {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'theme';
  const label = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
  };
  button.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    changed();
  });
  kSystem.addEventListener('change', changed);
  onThemeChange(label);
  label();
  return button;
}
