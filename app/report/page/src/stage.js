// The place of a 3-D view: camera, light, grid, compass, and pictures that are drawn only when something changed.

import {
  Color,
  DirectionalLight,
  GridHelper,
  HemisphereLight,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { Compass } from './compass.js';
import { color } from './theme.js';

const kFieldOfView = 35;

/// How much of the picture the motion fills at first.
const kFilled = 0.95;

/// Rounds of moving and distancing the camera, each of which leaves a fraction of the last error.
const kFramingRounds = 12;

/// The largest of 1, 2, 5, 10, … that is not above x.
export function roundDown(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const factor = [5, 2, 1].find((f) => f * power <= x * (1 + 1e-9)) ?? 1;
  return factor * power;
}

export class Stage {
  #waiting = false;
  #points = [];
  #isMoved = false;

  /// `isPlanar` when what is seen lies in the plane of x and what is upwards.
  constructor(parent, box, isPlanar) {
    this.canvas = document.createElement('canvas');
    parent.append(this.canvas);
    // Kept, so that a printed page has the picture.
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.scene = new Scene();
    this.parent = parent;
    this.box = box;
    this.isPlanar = isPlanar;
    this.size = box.getSize(new Vector3()).length();
    this.camera = new PerspectiveCamera(kFieldOfView, 1, this.size / 100, this.size * 20);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.#wheelAfterPressOnly();
    this.controls.addEventListener('change', () => this.render());
    this.controls.addEventListener('start', () => {
      this.#isMoved = true;
    });
    this.sky = new HemisphereLight();
    this.sun = new DirectionalLight(0xffffff, 1.6);
    this.sun.position.set(0.6, -1, 1.4);
    this.scene.add(this.sky, this.sun);
    this.compass = new Compass(isPlanar);
    this.repaint();
    this.#resize();
    new ResizeObserver(() => this.#resize()).observe(parent);
  }

  /// A reader who scrolls past the view does not want to zoom.
  #wheelAfterPressOnly() {
    this.controls.enableZoom = false;
    this.canvas.addEventListener('pointerdown', () => {
      this.controls.enableZoom = true;
    });
    this.canvas.addEventListener('pointerleave', () => {
      this.controls.enableZoom = false;
    });
  }

  /// Shows all of the points until the reader turns the view, whatever its size becomes.
  frame(points) {
    this.#points = points;
    this.#home();
  }

  /// Looks from a little above, as near as shows all of the points, with as much room on the left as on the right and
  /// above as below.
  #home() {
    const points = this.#points;
    if (!points.length || this.#isMoved) return;
    const back = (this.isPlanar ? new Vector3(0.25, -1, 0.25) : new Vector3(0.75, -1, 0.5)).normalize();
    const right = new Vector3().crossVectors(this.camera.up, back).normalize();
    const up = new Vector3().crossVectors(back, right);
    const slope = kFilled * Math.tan((kFieldOfView * Math.PI) / 360);
    const target = this.box.getCenter(new Vector3());
    let distance = 0;
    for (let round = 0; round < kFramingRounds; ++round) {
      const places = points.map((point) => {
        const offset = point.clone().sub(target);
        return { x: offset.dot(right), y: offset.dot(up), depth: offset.dot(back) };
      });
      const needed = ({ x, y, depth }) => depth + Math.max(Math.abs(x) / this.camera.aspect, Math.abs(y)) / slope;
      distance = places.reduce((most, place) => Math.max(most, needed(place)), 0);
      const middleOf = (seen) =>
        (seen.reduce((a, b) => Math.min(a, b)) + seen.reduce((a, b) => Math.max(a, b))) / 2;
      target.addScaledVector(right, distance * middleOf(places.map(({ x, depth }) => x / (distance - depth))));
      target.addScaledVector(up, distance * middleOf(places.map(({ y, depth }) => y / (distance - depth))));
    }
    this.camera.position.copy(target).addScaledVector(back, distance);
    this.controls.target.copy(target);
    this.controls.update();
  }

  /// How far from the middle the farthest of the points is seen, where 1 is the edge of the picture.
  mostOutside() {
    this.camera.updateMatrixWorld();
    return this.#points.reduce((most, point) => {
      const { x, y } = point.clone().project(this.camera);
      return Math.max(most, Math.abs(x), Math.abs(y));
    }, 0);
  }

  /// Colours of the theme.
  repaint() {
    this.scene.background = new Color(color('view'));
    this.sky.color.set(color('sky'));
    this.sky.groundColor.set(color('earth'));
    this.sky.intensity = 2.2;
    this.floor?.removeFromParent();
    this.floor = this.#floor();
    this.scene.add(this.floor);
    this.compass.repaint();
    this.render();
  }

  /// A grid below everything.
  #floor() {
    const extent = this.box.getSize(new Vector3());
    const width = Math.max(extent.x, extent.y, 0.3 * this.size);
    this.gridSpacing = roundDown(width / 6);
    const cells = 2 * Math.ceil((0.6 * width) / this.gridSpacing);
    const grid = new GridHelper(cells * this.gridSpacing, cells, color('grid-axis'), color('grid'));
    grid.rotation.x = Math.PI / 2;
    const middle = this.box.getCenter(new Vector3());
    const snapped = (x) => Math.round(x / this.gridSpacing) * this.gridSpacing;
    grid.position.set(snapped(middle.x), snapped(middle.y), this.box.min.z);
    return grid;
  }

  #resize() {
    const width = Math.max(1, this.parent.clientWidth);
    const height = Math.max(1, this.parent.clientHeight);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.#home();
    this.render();
  }

  /// Draws at the next frame, once.
  render() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.renderer.render(this.scene, this.camera);
      this.compass.draw(this.renderer, this.camera);
    });
  }
}
