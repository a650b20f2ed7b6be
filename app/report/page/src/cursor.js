// One time for the mechanism, all plots and the slider of a section.

export class Cursor {
  #listeners = [];

  constructor(first, last) {
    this.first = first;
    this.last = last;
    this.time = first;
  }

  /// listener(time) is called now and whenever the time changes.
  follow(listener) {
    this.#listeners.push(listener);
    listener(this.time);
  }

  set(time) {
    const inside = Math.min(this.last, Math.max(this.first, time));
    if (inside === this.time) return;
    this.time = inside;
    for (const listener of this.#listeners) listener(inside);
  }
}
