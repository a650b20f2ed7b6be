// Elements in one expression: element('p', { class: 'note' }, 'text', child).

export function element(name, attributes = {}, ...children) {
  const result = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, value);
  result.append(...children);
  return result;
}

const kSvg = 'http://www.w3.org/2000/svg';

/// A filled drawing in a square of 16 × 16.
export function icon(path) {
  const svg = document.createElementNS(kSvg, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const shape = document.createElementNS(kSvg, 'path');
  shape.setAttribute('d', path);
  svg.append(shape);
  return svg;
}
