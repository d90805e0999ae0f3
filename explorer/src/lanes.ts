// Lanes: position, pattern, dash, colour. A mask has one character a lane: `0` none, `1` all, `?` some.
// `slots` gives each lane its pattern and colour, the same at all steps.
import {el, svg} from './dom';
import type {Mask} from './data';

export type Slots = readonly number[];
export const DASHES = ['', '9 2.5', '2.5 2.5', '14 3', '6 2 2 2', '4 3'];
export const PITCH = 10;
export const INSET = 7;
export const laneX = (i: number) => INSET + i * PITCH + 3.5;
export const tracksWidth = (lanes: number) => lanes ? INSET + lanes * PITCH + 3 : 12;
export const full = (mask: Mask) => mask !== '' && !/[^1]/.test(mask);
export const none = (mask: Mask) => !/[^0]/.test(mask);
export const slotOf = (slots: Slots, lane: number) => (slots[lane] ?? lane) % 6 + 1;

export function laneWords(mask: Mask): string {
  if (mask === '') return '';
  if (full(mask)) return mask.length === 1 ? 'lane 1' : 'all lanes';
  const list = [...mask]
                   .map(
                       (bit, i) => bit === '1' ? `${i + 1}` :
                           bit === '?' ? `part of ${i + 1}` :
                                         '')
                   .filter(Boolean);
  if (!list.length) return 'no lane';
  return `${list.length === 1 ? 'lane' : 'lanes'} ${
      list.length > 1 ? list.slice(0, -1).join(', ') + ' and ' : ''}${list[list.length - 1]}`;
}

export function strip(mask: Mask, slots: Slots): HTMLElement {
  return el(
      'span', {class: 'lanes', role: 'img', 'aria-label': laneWords(mask), title: laneWords(mask)},
      [...mask].map((bit, i) => el('i', {
                      class: `k${slotOf(slots, i)}${
                          bit === '1'     ? ' on' :
                              bit === '?' ? ' some' :
                                            ''}`
                    })));
}

// The lanes of a predicate, under its name.
export function underline(node: HTMLElement, mask: Mask, slots: Slots): void {
  const n = mask.length, stops: string[] = [];
  [...mask].forEach((bit, i) => {
    const from = 100 * i / n, to = 100 * (i + 1) / n, end = to - 6 / n * 2,
          colour = `var(--l${slotOf(slots, i)})`;
    const middle = bit === '?' ? (from + end) / 2 : bit === '1' ? end : from;
    stops.push(
        `${colour} ${from}% ${middle}%`, `var(--off) ${middle}% ${end}%`, `transparent ${end}% ${to}%`);
  });
  node.style.backgroundImage = `linear-gradient(90deg, ${stops.join(', ')})`;
  node.classList.add('pred');
}

// The tracks of a row: thick where the lane executes it, thin where it passes by.
export function tracks(mask: Mask, present: Mask, slots: Slots): HTMLElement {
  const box =
      el('span', {class: 'tracks', style: `width:${tracksWidth(present.length)}px`, 'aria-hidden': 'true'});
  for (let i = 0; i < present.length; ++i) {
    if (present[i] === '0') continue;
    const kind = mask[i] === '1' ? 'fill' : mask[i] === '?' ? 'half' : 'thin';
    box.append(el('i', {class: `k${slotOf(slots, i)} ${kind}`, style: `left:${INSET + i * PITCH}px`}));
  }
  return box;
}

// Right-angled lines with round corners.
export function elbow(points: readonly(readonly[number, number])[], radius = 7): string {
  const f = (v: number) => String(Math.round(v * 100) / 100);
  let d = `M${f(points[0][0])},${f(points[0][1])}`;
  for (let i = 1; i < points.length - 1; ++i) {
    const [a, b, c] = [points[i - 1], points[i], points[i + 1]];
    const cut = (p: readonly number[], q: readonly number[]) => {
      const length = Math.abs(q[0] - p[0]) + Math.abs(q[1] - p[1]);
      return Math.min(radius, length / 2) / (length || 1);
    };
    const s = cut(b, a), t = cut(b, c);
    d += `L${f(b[0] + (a[0] - b[0]) * s)},${f(b[1] + (a[1] - b[1]) * s)}Q${f(b[0])},${f(b[1])} ${
        f(b[0] + (c[0] - b[0]) * t)},${f(b[1] + (c[1] - b[1]) * t)}`;
  }
  const last = points[points.length - 1];
  return d + `L${f(last[0])},${f(last[1])}`;
}
// `slot` 0: grey, no lane.
export function lanePath(points: readonly(readonly[number, number])[], slot: number): SVGElement {
  return svg('path', {
    d: elbow(points),
    fill: 'none',
    stroke: slot ? `var(--l${slot})` : 'var(--ink-3)',
    'stroke-width': slot ? 2.6 : 2,
    'stroke-dasharray': slot ? DASHES[slot - 1] || undefined : undefined,
    'stroke-linejoin': 'round'
  });
}
export function arrow(x: number, y: number, slot: number): SVGElement {
  return svg('path', {
    d: `M${x - 4},${y - 6}L${x},${y - 0.5}L${x + 4},${y - 6}Z`,
    fill: slot ? `var(--l${slot})` : 'var(--ink-3)'
  });
}

// Fill patterns for drawings, the same as in the style sheet.
export function patterns(): SVGElement {
  const p = (i: number, w: number, h: number, transform: string, ...shapes: SVGElement[]) =>
      svg('pattern', {
        id: 'p' + i,
        width: w,
        height: h,
        patternUnits: 'userSpaceOnUse',
        patternTransform: transform || undefined
      },
          ...shapes);
  const r = (w: number, h: number, c: string) =>
      svg('rect', {x: 0, y: 0, width: w, height: h, fill: `var(--${c})`});
  return svg(
      'svg', {width: 0, height: 0, style: 'position:absolute', 'aria-hidden': 'true'},
      svg('defs', {}, p(1, 8, 8, '', r(8, 8, 'l1')),
          p(2, 4.6, 8, 'rotate(45)', r(4.6, 8, 'l2'), r(1.5, 8, 'l2b')),
          p(3, 5, 5, '', r(5, 5, 'l3'), svg('circle', {cx: 2.5, cy: 2.5, r: 1.3, fill: 'var(--l3b)'})),
          p(4, 8, 4.4, '', r(8, 4.4, 'l4'), r(8, 1.3, 'l4b')),
          p(5, 4.6, 8, 'rotate(-45)', r(4.6, 8, 'l5'), r(1.5, 8, 'l5b')),
          p(6, 3.6, 8, '', r(3.6, 8, 'l6'), r(1.2, 8, 'l6b'))));
}
// A cell of a drawing: all, or the left half for some.
export function cell(
    bit: string, slot: number, x: number, y: number, width: number, height: number): SVGElement|null {
  if (bit === '0') return null;
  return svg(
      'rect',
      {x, y, width: bit === '?' ? width / 2 : width, height: Math.max(0, height), fill: `url(#p${slot})`});
}
