// The directions of the world, in the lower left corner of a view.

import { CanvasTexture, OrthographicCamera, SRGBColorSpace, Scene, Sprite, SpriteMaterial, Vector2, Vector3 } from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { color } from './theme.js';

/// Side of the corner, in pixels of the page.
const kSide = 92;

function letter(text, colorName) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 96;
  const pen = canvas.getContext('2d');
  pen.font = 'italic bold 76px Georgia, serif';
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillStyle = color(colorName);
  pen.fillText(text, 48, 48);
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  return new Sprite(new SpriteMaterial({ map, depthTest: false }));
}

export class Compass {
  /// The view has z upwards; where a scene has y upwards, its z points to the reader.
  constructor(isYUpwards) {
    this.directions = isYUpwards
      ? { x: [1, 0, 0], y: [0, 0, 1], z: [0, -1, 0] }
      : { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
    this.camera = new OrthographicCamera(-1.5, 1.5, 1.5, -1.5, 0, 10);
    this.scene = new Scene();
  }

  /// Colours of the theme.
  repaint() {
    this.scene.clear();
    for (const [name, direction] of Object.entries(this.directions)) {
      const line = new LineGeometry().setPositions([0, 0, 0, ...direction]);
      this.scene.add(new Line2(line, new LineMaterial({ color: color(`axis-${name}`), linewidth: 2.5 })));
      const text = letter(name, `axis-${name}`);
      text.position.set(...direction).multiplyScalar(1.25);
      text.scale.setScalar(0.6);
      this.scene.add(text);
    }
  }

  /// Over the picture that was drawn, as seen by its camera.
  draw(renderer, camera) {
    const away = camera.getWorldDirection(new Vector3());
    this.camera.position.copy(away).multiplyScalar(-5);
    this.camera.quaternion.copy(camera.quaternion);
    const size = renderer.getSize(new Vector2());
    renderer.autoClear = false;
    renderer.clearDepth();
    renderer.setViewport(4, 4, kSide, kSide);
    renderer.render(this.scene, this.camera);
    renderer.setViewport(0, 0, size.width, size.height);
    renderer.autoClear = true;
  }
}
