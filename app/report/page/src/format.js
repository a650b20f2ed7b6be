// Numbers as a reader writes them.

const kSuperscripts = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

/// 1234.5 as it is, 0.0000123 as 1.23·10⁻⁵; at most `digits` significant digits.
export function numberText(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(digits))).replace('-', '−');
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
  const power = [...String(Number(exponent))].map((c) => kSuperscripts[c]).join('');
  const factor = String(Number(mantissa));
  return (factor === '1' ? `10${power}` : `${factor}·10${power}`).replace('-', '−');
}

/// `name (unit)`, or the name alone.
export function withUnit(name, unit) {
  return unit && unit !== '1' ? `${name} (${unit})` : name;
}
