// The data of the page, and values between its samples. docs/report.md describes the format.

export function readData(document) {
  return JSON.parse(document.getElementById('data').textContent);
}

/// The largest i with times[i] <= t, and the fraction of the way from there to the next sample.
/// Times outside of the samples get the first or the last sample.
export function locate(times, t) {
  let low = 0;
  let high = times.length - 1;
  if (high <= 0 || t <= times[0]) return { index: 0, next: 0, fraction: 0 };
  if (t >= times[high]) return { index: high, next: high, fraction: 0 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  const fraction = (t - times[low]) / (times[high] - times[low]);
  return { index: low, next: high, fraction };
}

/// Puts series with sample times of their own on one time axis: {times, columns}, null where a series has no sample.
export function onOneAxis(defaultTimes, columns) {
  const own = columns.some((column) => column.times);
  if (!own) return { times: defaultTimes, columns: columns.map((column) => column.values) };
  const all = new Set();
  for (const column of columns) for (const t of column.times ?? defaultTimes) all.add(t);
  const times = [...all].sort((a, b) => a - b);
  const row = new Map(times.map((t, i) => [t, i]));
  const spread = ({ times: own = defaultTimes, values }) => {
    const result = new Array(times.length).fill(null);
    own.forEach((t, i) => {
      result[row.get(t)] = values[i];
    });
    return result;
  };
  return { times, columns: columns.map(spread) };
}

/// First and last time of everything in a section, or null when nothing in it depends on time.
export function timeRange(section) {
  const ends = [];
  const add = (times) => {
    if (times?.length) ends.push(times[0], times[times.length - 1]);
  };
  add(section.scene?.time);
  for (const plot of section.plots ?? []) {
    if (plot.x_label) continue;
    add(plot.time);
    for (const series of plot.series) add(series.time);
  }
  return ends.length ? [Math.min(...ends), Math.max(...ends)] : null;
}
