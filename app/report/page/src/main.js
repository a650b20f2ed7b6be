// Adds to the static page what moves: 3-D views, plots, one cursor for all of a section, and the theme button.

import 'uplot/dist/uPlot.min.css';
import './report.css';
import { Cursor } from './cursor.js';
import { readData, timeRange } from './data.js';
import { element } from './dom.js';
import { player } from './player.js';
import { Plot } from './plots.js';
import { SceneView } from './scene.js';
import { themeButton } from './theme.js';

/// The 3-D view, or a sentence where the browser has no WebGL.
function addView(parent, scene, cursor) {
  try {
    return new SceneView(parent, scene, cursor);
  } catch (error) {
    if (!/WebGL/.test(error.message)) throw error;
    parent.replaceChildren(element('p', { class: 'note' }, 'This browser has no WebGL, so the 3-D view is left out.'));
    return null;
  }
}

/// Plots that carry the same `group` stand under one heading.
function addPlots(parent, plots, times, cursor) {
  let group = null;
  return plots.map((plot) => {
    if (plot.group && plot.group !== group) parent.append(element('h3', {}, plot.group));
    group = plot.group ?? null;
    return new Plot(parent, plot, times, cursor);
  });
}

function bringToLife(section, place) {
  const range = timeRange(section);
  const cursor = range ? new Cursor(...range, section.cursor) : null;
  const part = { cursor, view: null, plots: [] };
  if (section.scene) {
    const left = element('div', { class: 'mechanism' });
    place.append(left);
    part.view = addView(left, section.scene, cursor);
    left.append(player(cursor));
  }
  if (section.plots?.length) {
    const right = element('div', { class: 'plots' });
    place.append(right);
    part.plots = addPlots(right, section.plots, section.scene?.time, cursor);
  }
  return part;
}

document.documentElement.classList.add('live');
const data = readData(document);
document.querySelector('header').append(themeButton());
const sections = data.sections.map((section, i) =>
  bringToLife(section, document.querySelector(`[data-section="${i}"]`)),
);

/// For tests of the page.
window.liegradReport = {
  sections: sections.map(({ cursor, view, plots }) => ({
    plots: plots.length,
    time: () => cursor?.time,
    setTime: (t) => cursor.set(t),
    shownTimes: () => plots.map((plot) => plot.shownTime()),
    positionOf: (name) => view.positionOf(name),
    mostOutside: () => view.stage.mostOutside(),
  })),
};
