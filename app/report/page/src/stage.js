// The place of a 3-D view: camera, light, grid, axes, and pictures that are drawn only when something changed.

import {
  Color,
  DirectionalLight,
  GridHelper,
  Group,
  HemisphereLight,
  PerspectiveCamera,
  Scene,
  Sprite,
  SpriteMaterial,
  CanvasTexture,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { color } from './theme.js';

const kFieldOfView = 35;

/// How much of the picture the motion fills at first.
const kFilled = 0.95;

/// The largest of 1, 2, 5, 10, … that is not above x.
export function roundDown(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const factor = [5, 2, 1].find((f) => f * power <= x * (1 + 1e-9)) ?? 1;
  return factor * power;
}

function letter(text, height) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 96;
  const pen = canvas.getContext('2d');
  pen.font = 'italic 72px Georgia, serif';
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillStyle = color('ink');
  pen.fillText(text, 48, 48);
  const sprite = new Sprite(new SpriteMaterial({ map: new CanvasTexture(canvas), depthTest: false }));
  sprite.scale.setScalar(height);
  return sprite;
}

export class Stage {
  #waiting = false;

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
    this.sky = new HemisphereLight();
    this.sun = new DirectionalLight(0xffffff, 1.6);
    this.sun.position.set(0.6, -1, 1.4);
    this.scene.add(this.sky, this.sun);
    this.repaint();
    this.#resize();
    this.#home();
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

  /// Looks at the middle of the box from a little above, as near as shows all of it.
  #home() {
    const middle = this.box.getCenter(new Vector3());
    const back = (this.isPlanar ? new Vector3(0.25, -1, 0.25) : new Vector3(0.75, -1, 0.5)).normalize();
    const right = new Vector3().crossVectors(this.camera.up, back).normalize();
    const up = new Vector3().crossVectors(back, right);
    const slope = kFilled * Math.tan((kFieldOfView * Math.PI) / 360);
    let distance = 0;
    for (let corner = 0; corner < 8; ++corner) {
      const pick = (bit) => (corner & bit ? this.box.max : this.box.min);
      const offset = new Vector3(pick(1).x, pick(2).y, pick(4).z).sub(middle);
      const aside = Math.max(Math.abs(offset.dot(right)) / this.camera.aspect, Math.abs(offset.dot(up)));
      distance = Math.max(distance, offset.dot(back) + aside / slope);
    }
    this.camera.position.copy(middle).addScaledVector(back, distance);
    this.controls.target.copy(middle);
    this.controls.update();
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
    this.render();
  }

  /// A grid below everything, and the directions of the world at its middle.
  #floor() {
    const result = new Group();
    const extent = this.box.getSize(new Vector3());
    const width = Math.max(extent.x, extent.y, 0.3 * this.size);
    this.gridSpacing = roundDown(width / 6);
    const cells = 2 * Math.ceil((0.6 * width) / this.gridSpacing);
    const grid = new GridHelper(cells * this.gridSpacing, cells, color('grid-axis'), color('grid'));
    grid.rotation.x = Math.PI / 2;
    const middle = this.box.getCenter(new Vector3());
    const snapped = (x) => Math.round(x / this.gridSpacing) * this.gridSpacing;
    grid.position.set(snapped(middle.x), snapped(middle.y), this.box.min.z);
    result.add(grid);
    const half = (cells / 2) * this.gridSpacing + 0.04 * this.size;
    const at = this.isPlanar ? { x: [half, 0, 0], z: [0, -half, 0] } : { x: [half, 0, 0], y: [0, half, 0] };
    for (const [name, offset] of Object.entries(at)) {
      const text = letter(name, 0.07 * this.size);
      text.position.copy(grid.position).add(new Vector3(...offset));
      result.add(text);
    }
    return result;
  }

  #resize() {
    const width = Math.max(1, this.parent.clientWidth);
    const height = Math.max(1, this.parent.clientHeight);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.render();
  }

  /// Draws at the next frame, once.
  render() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.renderer.render(this.scene, this.camera);
    });
  }
}
