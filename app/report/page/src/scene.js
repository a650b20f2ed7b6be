// The mechanism of a section: bodies, ghosts, beams, joints, forces and trails at the time of the cursor.

import { Box3, Group, Vector3 } from 'three';
import { ArrowActor, BodyActor, CurveActor, TrailActor } from './actors.js';
import { element } from './dom.js';
import { numberText, withUnit } from './format.js';
import { Paint, jointObject } from './shapes.js';
import { Stage } from './stage.js';
import { color, kSeriesColors, onThemeChange } from './theme.js';

/// The longest arrow, over the size of the scene.
const kLongestArrow = 0.22;
const kGhostOpacity = 0.28;

/// Symbols of joints over the size of the scene, and over that of the smallest body at most.
const kJointSize = 0.03;
const kMostOfBody = 0.4;

/// How many times are looked at to find the space that a motion needs.
const kExtentSamples = 60;

/// Some of the times of a scene, with the last.
function someTimes(times) {
  const every = Math.max(1, Math.floor(times.length / kExtentSamples));
  return times.filter((_, i) => i % every === 0 || i === times.length - 1);
}

/// Corners of the boxes of all solids of an object, in the world.
function corners(object) {
  const list = [];
  object.traverse((part) => {
    if (!part.isMesh || !part.geometry?.attributes.position) return;
    part.geometry.computeBoundingBox();
    const { min, max } = part.geometry.boundingBox;
    for (let corner = 0; corner < 8; ++corner) {
      const pick = (bit) => (corner & bit ? max : min);
      list.push(new Vector3(pick(1).x, pick(2).y, pick(4).z).applyMatrix4(part.matrixWorld));
    }
  });
  return list;
}

/// A box that holds all bodies at all times, with z upwards.
function extent(scene, bodies, world) {
  const box = new Box3();
  for (const t of someTimes(scene.time)) {
    for (const body of bodies) body.update(t);
    world.updateMatrixWorld(true);
    for (const body of bodies) {
      box.expandByPoint(body.object.getWorldPosition(new Vector3()));
      box.expandByObject(body.object, true);
    }
  }
  for (const joint of scene.joints ?? []) {
    if (!joint.body) box.expandByPoint(world.localToWorld(new Vector3(...joint.position)));
  }
  // A scene in a plane still has a volume to look at.
  const sides = box.getSize(new Vector3());
  const least = 0.2 * sides.length() || 1;
  return box.expandByVector(new Vector3(...sides.toArray().map((side) => Math.max(0, least - side) / 2)));
}

export class SceneView {
  constructor(parent, scene, cursor) {
    const view = element('div', { class: 'view', role: 'img', 'aria-label': 'The mechanism in motion' });
    parent.append(view);
    this.scene = scene;
    this.paints = new Map();
    this.#makeBodies();
    const bodies = [...this.bodies.values()];
    // The view has z upwards; a scene may have y.
    this.world = new Group();
    if (scene.up === 'y') this.world.rotation.x = Math.PI / 2;
    this.#addActors(bodies);
    this.stage = new Stage(view, extent(scene, bodies, this.world), scene.up === 'y');
    this.stage.scene.add(this.world);
    this.#addGhosts();
    this.#addCurves();
    this.#addJoints();
    this.#addArrows();
    this.#addTrails();
    this.stage.frame(this.#pointsToSee());
    this.legend = element('ul', { class: 'legend' });
    this.#fillLegend();
    const hint = `Grid ${numberText(this.stage.gridSpacing)} m. Drag to turn, wheel after a click to zoom.`;
    parent.append(this.legend, element('p', { class: 'note hint' }, hint));
    this.#repaint();
    onThemeChange(() => this.#repaint());
    cursor.follow((t) => this.#update(t));
  }

  /// The paint of a colour of the style sheet, made once.
  #paint(name, opacity = 1) {
    const key = `${name} ${opacity}`;
    if (!this.paints.has(key)) this.paints.set(key, new Paint(name, opacity));
    return this.paints.get(key);
  }

  #bodyColor(index) {
    return `series-${(index % kSeriesColors) + 1}`;
  }

  /// Curves take the colours after those of the bodies that have a shape.
  #curveColor(curve, index) {
    const shaped = this.scene.bodies.filter((body) => body.shapes?.length).length;
    return curve.color ?? this.#bodyColor(shaped + index);
  }

  #addActors(actors) {
    for (const actor of actors) this.world.add(actor.object);
    return actors;
  }

  #makeBodies() {
    const paints = (name) => this.#paint(name);
    this.bodies = new Map();
    this.scene.bodies.forEach((body, i) => {
      const paint = this.#paint(body.color ?? this.#bodyColor(i));
      this.bodies.set(body.name, new BodyActor(this.scene.time, body.pose, body.shapes ?? [], paint, paints));
    });
  }

  #addGhosts() {
    const paint = this.#paint('ghost', kGhostOpacity);
    const shapesOf = (name) =>
      (this.scene.bodies.find((body) => body.name === name)?.shapes ?? []).filter((shape) => shape.kind !== 'frame');
    this.ghosts = this.#addActors(
      (this.scene.ghosts ?? []).map(
        (ghost) => new BodyActor(ghost.time ?? this.scene.time, ghost.pose, shapesOf(ghost.body), paint),
      ),
    );
  }

  #addCurves() {
    this.curves = this.#addActors(
      (this.scene.curves ?? []).map((curve, i) => {
        const points = curve.points.map(({ body, point }) => ({
          body: this.bodies.get(body),
          point: point ?? [0, 0, 0],
        }));
        const paint = this.#paint(this.#curveColor(curve, i));
        return new CurveActor(points, curve.radius ?? 0.008 * this.stage.size, paint);
      }),
    );
  }

  /// Smaller than the bodies between them, of which a chain has many short ones.
  #jointSize() {
    const reach = ({ object }) => new Box3().setFromObject(object).getSize(new Vector3()).length();
    const sizes = [...this.bodies.values()].map(reach).filter((size) => size > 0);
    return Math.min(kJointSize * this.stage.size, ...sizes.map((size) => kMostOfBody * size));
  }

  #addJoints() {
    this.symbols = [];
    const size = this.#jointSize();
    for (const joint of this.scene.joints ?? []) {
      const upwards = this.scene.up === 'y' ? [0, 1, 0] : [0, 0, 1];
      const object = jointObject({ axis: upwards, ...joint }, size, this.#paint('joint'));
      (this.bodies.get(joint.body)?.object ?? this.world).add(object);
      if (!joint.body) this.symbols.push(object);
    }
  }

  #addArrows() {
    const arrows = this.scene.arrows ?? [];
    // Arrows of one unit share a scale, so that their lengths can be compared.
    const largest = {};
    for (const { unit, vector } of arrows) {
      largest[unit] = Math.max(largest[unit] ?? 0, ...vector.map((v) => Math.hypot(...v)));
    }
    const scale = (unit) => (largest[unit] > 0 ? (kLongestArrow * this.stage.size) / largest[unit] : 0);
    this.arrows = this.#addActors(
      arrows.map((arrow) => {
        const body = this.bodies.get(arrow.body);
        const paint = this.#paint('arrow');
        return new ArrowActor(arrow, this.scene.time, body, paint, scale(arrow.unit), this.#jointSize() / 6);
      }),
    );
  }

  #addTrails() {
    this.trails = this.#addActors(
      (this.scene.trails ?? []).map((trail) => {
        const body = this.bodies.get(trail.body);
        const points = this.scene.time.map((t) => body.pointAt(t, trail.point ?? [0, 0, 0]));
        return new TrailActor(this.scene.time, points);
      }),
    );
  }

  /// Around everything that moves, at all times, and what stands still.
  #pointsToSee() {
    const solids = [...this.bodies.values(), ...this.ghosts, ...this.arrows];
    const points = [];
    for (const t of someTimes(this.scene.time)) {
      for (const actor of solids) actor.update(t);
      this.world.updateMatrixWorld(true);
      for (const { object } of solids) if (object.visible) points.push(...corners(object));
      for (const curve of this.curves) points.push(...curve.pointsAt(t).map((point) => this.world.localToWorld(point)));
    }
    for (const symbol of this.symbols) points.push(...corners(symbol));
    const { min, max } = this.stage.box;
    return points.length ? points : [min, max];
  }

  /// Few bodies are named; a chain of hundreds is not.
  #fillLegend() {
    const add = (colorName, style, ...texts) => {
      const mark = element('span', { class: `mark ${style}` });
      mark.dataset.color = colorName;
      this.legend.append(element('li', {}, mark, ...texts));
    };
    const shown = this.scene.bodies.filter((body) => body.shapes?.length);
    if (shown.length <= kSeriesColors) {
      shown.forEach((body) =>
        add(body.color ?? this.#bodyColor(this.scene.bodies.indexOf(body)), 'solid', ` ${body.name}`),
      );
    }
    const curves = this.scene.curves ?? [];
    if (curves.length <= kSeriesColors) {
      curves.forEach((curve, i) => add(this.#curveColor(curve, i), 'solid', ` ${curve.name}`));
    }
    for (const name of new Set((this.scene.ghosts ?? []).map((ghost) => ghost.name))) add('ghost', 'solid', ` ${name}`);
    this.arrowValues = this.arrows.length <= kSeriesColors ? this.arrows.map(() => element('span')) : [];
    this.arrowValues.forEach((value, i) => add('arrow', 'line', ` ${this.arrows[i].arrow.name} `, value));
    for (const trail of this.scene.trails ?? []) add('trail', 'line', ` ${trail.name}`);
  }

  #repaint() {
    for (const paint of this.paints.values()) paint.paint(color);
    for (const trail of this.trails) for (const line of [trail.all, trail.past]) line.color.set(color('trail'));
    for (const mark of this.legend.querySelectorAll('.mark')) mark.style.color = color(mark.dataset.color);
    this.stage.repaint();
  }

  #update(t) {
    for (const body of this.bodies.values()) body.update(t);
    for (const group of [this.ghosts, this.curves, this.arrows, this.trails]) {
      for (const actor of group) actor.update(t);
    }
    this.arrowValues.forEach((value, i) => {
      const { arrow } = this.arrows[i];
      value.textContent = withUnit(numberText(this.arrows[i].vectorAt(t).length(), 3), arrow.unit).replace(/[()]/g, '');
    });
    this.stage.render();
  }

  /// Position of a body as it is shown.
  positionOf(name) {
    return this.bodies.get(name).object.position.toArray();
  }
}
