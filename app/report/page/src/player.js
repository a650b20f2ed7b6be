// Play, pause, speed and the time slider of a section.

import { element, icon } from './dom.js';
import { numberText } from './format.js';

const kPlay = 'M4 2 L14 8 L4 14 Z';
const kPause = 'M3 2 H6.5 V14 H3 Z M9.5 2 H13 V14 H9.5 Z';
const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/// A motion of a fraction of a second is slowed down until an eye can follow it.
const kShortestPlaySeconds = 5;

function firstSpeed(duration) {
  const slowEnough = kSpeeds.filter((speed) => speed <= 1 && duration / speed >= kShortestPlaySeconds);
  return slowEnough.length ? slowEnough[slowEnough.length - 1] : kSpeeds[0];
}

export function player(cursor) {
  const duration = cursor.last - cursor.first;
  const button = element('button', { type: 'button', class: 'play' });
  const slider = element('input', {
    type: 'range',
    min: cursor.first,
    max: cursor.last,
    step: 'any',
    'aria-label': cursor.label,
  });
  const time = element('output', { class: 'time' });
  const speed = element('select', { 'aria-label': 'Speed' });
  for (const factor of kSpeeds) {
    speed.append(element('option', { value: factor }, factor === 1 && cursor.name === 't' ? 'real time' : `× ${factor}`));
  }
  speed.value = firstSpeed(duration);

  let playing = false;
  let previous = 0;
  const show = () => {
    button.replaceChildren(icon(playing ? kPause : kPlay));
    button.setAttribute('aria-label', playing ? 'Pause' : 'Play');
  };
  const advance = (now) => {
    if (!playing) return;
    cursor.set(cursor.time + ((now - previous) / 1000) * Number(speed.value));
    previous = now;
    if (cursor.time >= cursor.last) stop();
    else requestAnimationFrame(advance);
  };
  const stop = () => {
    playing = false;
    show();
  };
  button.addEventListener('click', () => {
    playing = !playing;
    show();
    if (!playing) return;
    if (cursor.time >= cursor.last) cursor.set(cursor.first);
    previous = performance.now();
    requestAnimationFrame(advance);
  });
  slider.addEventListener('input', () => {
    stop();
    cursor.set(Number(slider.value));
  });
  cursor.follow((t) => {
    slider.value = t;
    time.textContent = `${cursor.name} = ${t.toFixed(decimals(duration))} ${cursor.unit}`;
    slider.setAttribute('aria-valuetext', `${numberText(t)} ${cursor.unit}`);
  });
  show();
  return element('div', { class: 'player' }, button, slider, time, speed);
}

/// Enough decimals to tell a thousandth of the duration.
function decimals(duration) {
  return Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(duration))));
}
