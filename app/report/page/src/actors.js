// What moves in a scene. Each actor has an object for the scene, update(t), and hides itself when it has nothing to show.

import {
  CatmullRomCurve3,
  ConeGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  Quaternion,
  SphereGeometry,
  TubeGeometry,
  Vector3,
} from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { locate } from './data.js';
import { fromY, shapeObject } from './shapes.js';

function quaternion(pose) {
  return new Quaternion(pose[4], pose[5], pose[6], pose[3]);
}

/// The pose between two samples: straight for the position, along the shorter arc for the rotation.
function setPose(object, times, poses, t) {
  const { index, next, fraction } = locate(times, t);
  const a = poses[index];
  const b = poses[next];
  object.position.set(a[0], a[1], a[2]).lerp(new Vector3(b[0], b[1], b[2]), fraction);
  object.quaternion.copy(quaternion(a)).slerp(quaternion(b), fraction);
}

/// A body, or the ghost of one.
export class BodyActor {
  constructor(times, poses, shapes, paint, paints) {
    this.times = times;
    this.poses = poses;
    this.object = new Group();
    for (const shape of shapes) this.object.add(shapeObject(shape, paint, paints));
  }

  update(t) {
    setPose(this.object, this.times, this.poses, t);
  }

  /// World coordinates at time t of a point of the body.
  pointAt(t, point) {
    this.update(t);
    return new Vector3(...point).applyQuaternion(this.object.quaternion).add(this.object.position);
  }
}

/// A beam or a link: a tube through points of bodies, or of the world where `body` is none.
export class CurveActor {
  constructor(points, radius, paint) {
    this.points = points;
    this.radius = radius;
    this.tube = new Mesh(undefined, paint.fill);
    this.tube.frustumCulled = false;
    this.ends = [0, 1].map(() => new Mesh(new SphereGeometry(radius, 16, 12), paint.fill));
    this.object = new Group();
    this.object.add(this.tube, ...this.ends);
  }

  pointsAt(t) {
    return this.points.map(({ body, point }) => (body ? body.pointAt(t, point) : new Vector3(...point)));
  }

  update(t) {
    const points = this.pointsAt(t);
    const curve = new CatmullRomCurve3(points, false, 'centripetal');
    this.tube.geometry.dispose();
    this.tube.geometry = new TubeGeometry(curve, 6 * points.length, this.radius, 12);
    this.ends[0].position.copy(points[0]);
    this.ends[1].position.copy(points[points.length - 1]);
  }
}

/// A force: an arrow from a point along a vector of the world, its length in proportion.
export class ArrowActor {
  constructor(arrow, times, body, paint, metresPerUnit, thickness) {
    this.arrow = arrow;
    this.times = arrow.time ?? times;
    this.body = body;
    this.metresPerUnit = metresPerUnit;
    this.headLength = 5 * thickness;
    this.shaft = new Mesh(new CylinderGeometry(thickness, thickness, 1, 16), paint.fill);
    this.head = new Mesh(new ConeGeometry(2.4 * thickness, this.headLength, 20), paint.fill);
    this.object = new Group();
    this.object.add(this.shaft, this.head);
  }

  vectorAt(t) {
    const { index, next, fraction } = locate(this.times, t);
    return new Vector3(...this.arrow.vector[index]).lerp(new Vector3(...this.arrow.vector[next]), fraction);
  }

  update(t) {
    const vector = this.vectorAt(t).multiplyScalar(this.metresPerUnit);
    const length = vector.length();
    this.object.visible = length > 1e-6 * this.headLength;
    if (!this.object.visible) return;
    const point = this.arrow.point ?? [0, 0, 0];
    this.object.position.copy(this.body ? this.body.pointAt(t, point) : new Vector3(...point));
    this.object.quaternion.copy(fromY(vector));
    const head = Math.min(this.headLength, length);
    this.head.scale.setScalar(head / this.headLength);
    this.head.position.y = length - head / 2;
    this.shaft.scale.y = Math.max(length - head, 1e-9);
    this.shaft.position.y = this.shaft.scale.y / 2;
  }
}

/// The path of a point: all of it thin, what lies behind the present thick.
export class TrailActor {
  constructor(times, points) {
    this.times = times;
    const geometry = () => new LineGeometry().setPositions(points.flatMap((point) => [point.x, point.y, point.z]));
    this.all = new LineMaterial({ linewidth: 1, transparent: true, opacity: 0.45 });
    this.past = new LineMaterial({ linewidth: 2.5 });
    this.pastLine = new Line2(geometry(), this.past);
    this.object = new Group();
    this.object.add(new Line2(geometry(), this.all), this.pastLine);
  }

  update(t) {
    this.pastLine.geometry.instanceCount = locate(this.times, t).index;
  }
}
