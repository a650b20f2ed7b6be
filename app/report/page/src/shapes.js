// Meshes of the shapes of a body. All kinds and their fields stand in docs/report.md.

import {
  BoxGeometry,
  ConeGeometry,
  CylinderGeometry,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshLambertMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';

/// Edges are drawn where neighbouring faces meet at more than this angle, in degrees.
const kEdgeAngle = 30;
const kAxisColors = ['axis-x', 'axis-y', 'axis-z'];
const kY = new Vector3(0, 1, 0);

function vector(numbers, fallback = [0, 0, 0]) {
  return new Vector3(...(numbers ?? fallback));
}

/// The rotation that takes the axis of a cylinder of three.js, y, to a direction.
export function fromY(direction) {
  return new Quaternion().setFromUnitVectors(kY, direction.clone().normalize());
}

function placed(object, shape) {
  object.position.copy(vector(shape.position));
  if (shape.axis) object.quaternion.copy(fromY(vector(shape.axis)));
  if (shape.rotation) {
    const [w, x, y, z] = shape.rotation;
    object.quaternion.set(x, y, z, w);
  }
  return object;
}

/// A body's material: fill and edges, translucent for a ghost. Colours come with paint().
export class Paint {
  constructor(colorName, opacity = 1) {
    this.colorName = colorName;
    const transparent = opacity < 1;
    this.fill = new MeshLambertMaterial({ transparent, opacity, depthWrite: !transparent });
    this.fill.polygonOffset = true;
    this.fill.polygonOffsetFactor = 1;
    this.fill.polygonOffsetUnits = 1;
    this.edge = new LineBasicMaterial({ transparent: true, opacity: transparent ? 0.6 : 0.9 });
  }

  paint(color) {
    this.fill.color.set(color(this.colorName));
    this.edge.color.set(color(this.colorName)).multiplyScalar(0.55);
  }
}

function solid(geometry, paint) {
  const mesh = new Mesh(geometry, paint.fill);
  mesh.add(new LineSegments(new EdgesGeometry(geometry, kEdgeAngle), paint.edge));
  return mesh;
}

function cylinderBetween(from, to, radius, paint) {
  const along = to.clone().sub(from);
  const mesh = solid(new CylinderGeometry(radius, radius, along.length(), 24), paint);
  mesh.position.copy(from).addScaledVector(along, 0.5);
  mesh.quaternion.copy(fromY(along));
  return mesh;
}

function frame(shape, paints) {
  const group = new Group();
  const length = shape.length;
  kAxisColors.forEach((name, i) => {
    const axis = new Vector3().setComponent(i, length);
    const rod = cylinderBetween(new Vector3(), axis, length * 0.02, paints(name));
    const head = new Mesh(new ConeGeometry(length * 0.06, length * 0.2, 16), paints(name).fill);
    head.position.copy(axis);
    head.quaternion.copy(fromY(axis));
    group.add(rod, head);
  });
  return group;
}

/// A stand for a point that does not move: a cone on a plate, below the point where its axis is upwards.
function ground(size, paint) {
  const group = new Group();
  const cone = solid(new ConeGeometry(size * 0.6, size, 4), paint);
  cone.position.y = -0.5 * size;
  const plate = solid(new BoxGeometry(2 * size, 0.15 * size, 2 * size), paint);
  plate.position.y = -1.075 * size;
  group.add(cone, plate);
  return group;
}

const kMakers = {
  box: (shape, paint) => solid(new BoxGeometry(...shape.size), paint),
  sphere: (shape, paint) => solid(new SphereGeometry(shape.radius, 32, 20), paint),
  cylinder: (shape, paint) =>
    shape.from
      ? cylinderBetween(vector(shape.from), vector(shape.to), shape.radius, paint)
      : solid(new CylinderGeometry(shape.radius, shape.radius, shape.length, 40), paint),
  frame: (shape, paint, paints) => frame(shape, paints),
};

/// Symbols of joints, of about the given size.
const kSymbols = {
  spherical: (size, paint) => solid(new SphereGeometry(0.5 * size, 24, 16), paint),
  revolute: (size, paint) => solid(new CylinderGeometry(0.4 * size, 0.4 * size, 1.6 * size, 24), paint),
  prismatic: (size, paint) => solid(new BoxGeometry(0.8 * size, 2 * size, 0.8 * size), paint),
  rigid: (size, paint) => solid(new BoxGeometry(size, size, size), paint),
  ground: (size, paint) => ground(size, paint),
};

/// A shape of a body in its frame; paints(name) is the paint of a named colour.
export function shapeObject(shape, paint, paints) {
  const maker = kMakers[shape.kind];
  if (!maker) throw new Error(`There is no shape "${shape.kind}".`);
  const object = maker(shape, paint, paints);
  return shape.from ? object : placed(object, shape);
}

export function jointObject(joint, size, paint) {
  const maker = kSymbols[joint.kind];
  if (!maker) throw new Error(`There is no joint symbol "${joint.kind}".`);
  return placed(maker(joint.size ?? size, paint), joint);
}
