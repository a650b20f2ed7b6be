// Time plots (uPlot) that share the cursor of their section.

import uPlot from 'uplot';
import { onOneAxis } from './data.js';
import { element } from './dom.js';
import { numberText, withUnit } from './format.js';
import { color, onThemeChange, seriesColor } from './theme.js';

const kHeight = 250;
const kLongestVerticalLabel = 20;
const kMostPowers = 6; // with a number beside a logarithmic axis
const kFewPoints = 12; // of which each is marked
const kFont = '14px system-ui, sans-serif';

/// `rgb(r, g, b)` with an opacity.
function translucent(rgb, opacity) {
  return rgb.replace('rgb(', 'rgba(').replace(')', `, ${opacity})`);
}

/// Columns of uPlot: each series, followed by the two ends of its band.
function columnsOf(plot) {
  const result = [];
  for (const series of plot.series) {
    const times = series.time;
    result.push({ times, values: series.values, series, part: 'value' });
    if (!series.band) continue;
    result.push({ times, values: series.band[1], series, part: 'upper' });
    result.push({ times, values: series.band[0], series, part: 'lower' });
  }
  return result;
}

/// Number of the colour of each series; a series may name another whose colour it shares.
function colorNumbers(plot) {
  const numbers = new Map();
  let next = 0;
  for (const series of plot.series) {
    const shared = numbers.get(series.color_of);
    numbers.set(series.name, shared ?? next++);
  }
  return numbers;
}

function uplotSeries(column, colors) {
  const stroke = () => seriesColor(colors.get(column.series.name));
  if (column.part !== 'value') {
    return { stroke: () => translucent(stroke(), 0.45), width: 1, points: { show: false }, spanGaps: true };
  }
  const points = column.series.style === 'points';
  return {
    label: column.series.name,
    stroke,
    width: points ? 0 : 2,
    pxAlign: 0, // whole pixels would make steps of smooth lines
    paths: points ? () => null : undefined,
    dash: column.series.style === 'dashed' ? [7, 5] : undefined,
    points: points
      ? { show: true, size: 5, width: 1, fill: stroke }
      : { show: (u, index, first, last) => last - first < kFewPoints, size: 6, width: 1, fill: stroke },
    spanGaps: true,
  };
}

/// A number of an axis, with the digits that tell it from its neighbours.
function tickText(value, spacing, largest) {
  if (largest < 1e-3 || largest >= 1e6) return numberText(Number(value.toPrecision(12)), 4);
  let decimals = 0;
  while (decimals < 9 && Math.abs(spacing * 10 ** decimals - Math.round(spacing * 10 ** decimals)) > 1e-6) ++decimals;
  return value.toFixed(decimals).replace('-', '−');
}

/// Lines of a logarithmic axis: powers of ten, 2 and 5 times these where there are few powers, and every second or third
/// power where there are so many that their numbers would touch.
function roundNumbers(u, values) {
  const exponent = (value) => Math.floor(Math.log10(value) + 1e-9);
  const factor = (value) => Number((value / 10 ** exponent(value)).toPrecision(3));
  const powers = values.filter((value) => factor(value) === 1).length;
  const factors = powers > 2 ? [1] : [1, 2, 5];
  const every = Math.ceil(powers / kMostPowers) || 1;
  return values.map((value) => (factors.includes(factor(value)) && exponent(value) % every === 0 ? value : null));
}

/// Name and unit; the last part of the name, or the unit alone, where that would not fit beside the plot.
function verticalLabel(plot) {
  const name = plot.y_label ?? '';
  const labels = [name, name.split('.').at(-1)].map((text) => withUnit(text, plot.unit));
  return labels.find((label) => label.length <= kLongestVerticalLabel) ?? withUnit('', plot.unit).trim();
}

function axis(label, size, isLogarithmic) {
  const filter = isLogarithmic ? roundNumbers : (u, values) => values;
  const linear = (u, values, index, space, spacing) =>
    values.map((value) => tickText(value, spacing, Math.max(...values.map(Math.abs))));
  const logarithmic = (u, values) => values.map((value) => (value === null ? '' : numberText(value)));
  return {
    label,
    size,
    filter,
    values: isLogarithmic ? logarithmic : linear,
    stroke: () => color('ink-soft'),
    grid: { stroke: () => color('rule'), width: 1, filter },
    ticks: { stroke: () => color('rule'), width: 1, size: 5, filter },
    font: kFont,
    labelFont: kFont,
    labelSize: 20,
  };
}

function axes(plot, cursor) {
  const below = plot.x_label ? withUnit(plot.x_label, plot.x_unit) : cursor.label;
  return [axis(below, 32, plot.x_log), axis(verticalLabel(plot), 76, plot.log)];
}

function bands(columns) {
  const result = [];
  columns.forEach((column, i) => {
    if (column.part === 'upper') result.push({ series: [i + 1, i + 2], column });
  });
  return result;
}

/// The names of the series with their values at the cursor.
class Legend {
  constructor(plot, colors) {
    this.element = element('ul', { class: 'legend' });
    this.entries = plot.series.map((series) => {
      const mark = element('span', { class: `mark ${series.style ?? 'line'}` });
      const value = element('span', plot.x_label ? {} : { class: 'value' });
      const band = series.band ? [element('span', { class: 'note' }, ` ${series.band_name ?? 'band'}`)] : [];
      this.element.append(element('li', {}, mark, ` ${series.name} `, value, ...band));
      return { series, mark, value };
    });
    this.colors = colors;
    this.recolor();
  }

  recolor() {
    for (const { series, mark } of this.entries) mark.style.color = seriesColor(this.colors.get(series.name));
  }

  show(valueOf) {
    for (const { series, value } of this.entries) value.textContent = numberText(valueOf(series));
  }
}

/// The last value of a column at or before row i.
function valueAt(values, i) {
  for (let row = i; row >= 0; --row) if (values[row] !== null) return values[row];
  return null;
}

/// A plot in `parent`. Its abscissa is time unless it has an x_label; then it does not follow the cursor.
export class Plot {
  #chart = null;
  #applying = false;

  constructor(parent, plot, sceneTimes, cursor) {
    this.plot = plot;
    this.cursor = plot.x_label ? null : cursor;
    this.columns = columnsOf(plot);
    this.colors = colorNumbers(plot);
    const joined = onOneAxis(plot.time ?? sceneTimes, this.columns);
    this.table = [joined.times, ...joined.columns];
    this.area = element('div', { class: 'chart' });
    this.legend = new Legend(plot, this.colors);
    this.element = element('figure', { class: 'plot' }, element('figcaption', {}, plot.title), this.area);
    this.element.append(this.legend.element);
    parent.append(this.element);
    this.#draw();
    new ResizeObserver(() => this.#resize()).observe(this.area);
    onThemeChange(() => {
      this.legend.recolor();
      this.#chart.destroy();
      this.#draw();
      if (this.cursor) this.#show(this.cursor.time);
    });
    this.cursor?.follow((t) => this.#show(t));
  }

  #draw() {
    const colors = this.colors;
    const options = {
      width: this.#width(),
      height: kHeight,
      legend: { show: false },
      scales: {
        x: { time: false, distr: this.plot.x_log ? 3 : 1, range: (u, low, high) => [low, high] },
        y: { distr: this.plot.log ? 3 : 1 },
      },
      axes: axes(this.plot, this.cursor),
      series: [{}, ...this.columns.map((column) => uplotSeries(column, colors))],
      bands: bands(this.columns).map(({ series, column }) => ({
        series,
        fill: () => translucent(seriesColor(colors.get(column.series.name)), 0.16),
      })),
      cursor: { y: false, points: { size: 8 }, drag: { x: true, y: false } },
      hooks: { setCursor: [(u) => this.#moved(u)], draw: [(u) => this.#limits(u)] },
      padding: [10, 22, 0, 0],
    };
    this.#chart = new uPlot(options, this.table, this.area);
  }

  /// Horizontal lines, such as bounds of a control.
  #limits(u) {
    for (const limit of this.plot.limits ?? []) {
      const y = Math.round(u.valToPos(limit, 'y', true)) + 0.5;
      if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) continue;
      u.ctx.save();
      u.ctx.strokeStyle = color('ink-soft');
      u.ctx.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
      u.ctx.lineWidth = devicePixelRatio;
      u.ctx.beginPath();
      u.ctx.moveTo(u.bbox.left, y);
      u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
      u.ctx.stroke();
      u.ctx.restore();
    }
  }

  #width() {
    return Math.max(200, Math.floor(this.area.clientWidth));
  }

  #resize() {
    if (this.#width() === this.#chart.width) return;
    this.#chart.setSize({ width: this.#width(), height: kHeight });
    if (this.cursor) this.#show(this.cursor.time);
  }

  /// The pointer moved over this plot, or left it.
  #moved(u) {
    if (this.#applying || !this.cursor) return;
    if (u.cursor.left >= 0) this.cursor.set(u.posToVal(u.cursor.left, 'x'));
    else queueMicrotask(() => this.#show(this.cursor.time));
  }

  #show(t) {
    const u = this.#chart;
    this.#applying = true;
    u.setCursor({ left: u.valToPos(t, 'x'), top: 0 }, true);
    this.#applying = false;
    this.legend.show((series) => {
      const i = this.columns.findIndex((column) => column.series === series && column.part === 'value');
      return valueAt(this.table[i + 1], u.valToIdx(t));
    });
  }

  /// Where the plot shows its cursor, as a time.
  shownTime() {
    return this.#chart.posToVal(this.#chart.cursor.left, 'x');
  }
}
