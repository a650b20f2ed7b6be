// One time for the mechanism, all plots and the slider of a section; or what a section has instead, such as a load.

import { withUnit } from './format.js';

export class Cursor {
  #listeners = [];

  constructor(first, last, { name = 't', unit = 's' } = {}) {
    this.name = name;
    this.unit = unit;
    this.first = first;
    this.last = last;
    this.time = first;
  }

  /// listener(time) is called now and whenever the time changes.
  follow(listener) {
    this.#listeners.push(listener);
    listener(this.time);
  }

  /// For an axis.
  get label() {
    return withUnit(this.name === 't' ? 'time' : this.name, this.unit);
  }

  set(time) {
    const inside = Math.min(this.last, Math.max(this.first, time));
    if (inside === this.time) return;
    this.time = inside;
    for (const listener of this.#listeners) listener(inside);
  }
}
