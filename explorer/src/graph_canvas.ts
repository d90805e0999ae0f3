// The graph: blocks as lists of instructions with their tracks, edges as bundles of lanes. Only what is in
// the window is in the page; a small drawing of all stands in the corner of a large one.
import type {App} from './app';
import {code, LIMIT} from './code';
import type {Block, BlockId, InstId} from './data';
import {el, number, percent, svg} from './dom';
import {arrow, elbow, laneWords, lanePath, tracks, tracksWidth} from './lanes';
import {HEAD, ROW, type Placed} from './layouts';
import {sameSet, type Difference, type Snap} from './model';

const MARGIN = 300;
// More rows than this in the window are drawn without tokens; more than the second number not at all.
const FULL_ROWS = 150, PLAIN_ROWS = 500;

export interface Drawn {
  snap: Snap;
  difference: Difference|null;  // to be marked
  stepKey: string;
}

export class GraphCanvas {
  readonly box: HTMLElement;
  private readonly world = el('div', {class: 'world'});
  private readonly overview =
      el('canvas', {class: 'overview', width: 150, height: 190, 'aria-hidden': 'true'});
  private readonly frame = el('div', {class: 'frame', 'aria-hidden': 'true'});
  private readonly tag = el('span', {class: 'tag'});
  private panX = 0;
  private panY = 0;
  private zoom = 1;
  private placed: Placed|null = null;
  private drawn: Drawn|null = null;
  private rendered: [number, number, number, number] = [0, 0, -1, -1];
  private overviewKey = '';
  private scheduled = false;
  private detail: 'full'|'plain'|'head'|'box' = 'full';
  private lastInst: InstId|null = null;
  private started = false;

  constructor(private readonly app: App, private readonly label: string) {
    this.box =
        el('div',
           {class: 'canvas', role: 'region', 'aria-label': label, tabindex: 0, 'data-k': `canvas-${label}`},
           this.tag, this.world, this.overview, this.frame);
    this.box.addEventListener('click', event => this.app.click(event));
    this.box.addEventListener('wheel', event => {
      event.preventDefault();
      if (event.ctrlKey)
        this.zoomBy(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.offsetX, event.offsetY);
      else
        this.pan(event.shiftKey ? event.deltaY : event.deltaX, event.shiftKey ? 0 : event.deltaY);
    }, {passive: false});
    this.box.addEventListener('pointerdown', event => this.drag(event));
    this.box.addEventListener('pointerover', event => this.hover(event.target as Element));
    this.box.addEventListener('pointerleave', () => this.hover(null));
    this.overview.addEventListener('pointerdown', event => {
      event.stopPropagation();
      if (!this.placed) return;
      const scale = this.overviewScale();
      this.panX = this.box.clientWidth / 2 - event.offsetX / scale * this.zoom;
      this.panY = this.box.clientHeight / 2 - event.offsetY / scale * this.zoom;
      this.move();
    });
    new ResizeObserver(() => this.move()).observe(this.box);
  }

  show(drawn: Drawn, title: string, small: string): void {
    const before = this.drawn, oldPlaced = this.placed, oldSnap = before?.snap;
    this.tag.replaceChildren(title, el('small', {}, small));
    this.drawn = drawn;
    const key = `${drawn.stepKey}.${drawn.snap.index}.${drawn.difference ? 1 : 0}`;
    const hints = oldPlaced && oldSnap ? new Map(oldPlaced.ids.map((id, i) => [id, oldPlaced.x[i]])) : null;
    const placed = this.app.layouts.get(key, drawn.snap, !!drawn.difference, hints, () => this.app.render());
    this.box.classList.toggle('waiting', !placed);
    if (!placed) return;
    this.placed = placed;
    if (!this.started) {
      this.started = true;
      this.home();
    } else if (oldPlaced && oldSnap && placed !== oldPlaced)
      this.keepStill(oldPlaced, oldSnap);
    const {inst} = this.app.state;
    if (inst !== null && inst !== this.lastInst) this.reveal(inst);
    this.lastInst = inst;
    this.rendered = [0, 0, -1, -1];
    this.move();
  }
  reset(): void {
    this.started = false;
  }

  // The entry at the top, in the middle.
  private home(): void {
    const placed = this.placed!;
    const room = this.box.clientWidth || 800;
    // A little smaller, if then all of its width is seen.
    this.zoom = placed.width > room && placed.width * 0.7 <= room - 24 ? (room - 24) / placed.width : 1;
    const entry = placed.ids.length ? placed.x[0] + placed.widths[0] / 2 : 0,
          width = placed.width * this.zoom;
    this.panX = width <= room ? Math.round((room - width) / 2) :
                                Math.round(Math.min(24, Math.max(room - width - 24, room / 2 - entry)));
    this.panY = 44;
  }
  fit(): void {
    const placed = this.placed;
    if (!placed) return;
    this.zoom =
        Math.min(1, (this.box.clientWidth - 40) / placed.width, (this.box.clientHeight - 60) / placed.height);
    this.panX = (this.box.clientWidth - placed.width * this.zoom) / 2;
    this.panY = 40;
    this.refresh();
  }
  private refresh(): void {
    this.rendered = [0, 0, -1, -1];
    this.move();
  }
  zoomBy(factor: number, x = this.box.clientWidth / 2, y = this.box.clientHeight / 2): void {
    const zoom = Math.max(0.05, Math.min(2, this.zoom * factor));
    this.panX = x - (x - this.panX) * zoom / this.zoom;
    this.panY = y - (y - this.panY) * zoom / this.zoom;
    this.zoom = zoom;
    this.refresh();
  }
  private pan(dx: number, dy: number): void {
    this.panX -= dx;
    this.panY -= dy;
    this.move();
  }

  // The pinned block, or the one that is looked at, stays where it is on the screen.
  private keepStill(old: Placed, oldSnap: Snap): void {
    const placed = this.placed!, {pin, inst} = this.app.state;
    const at = (p: Placed, snap: Snap, block: BlockId|undefined, row: InstId|null): [number, number]|null => {
      const i = block === undefined ? undefined : p.index.get(block);
      if (i === undefined) return null;
      const k = row === null ? -1 : snap.blocks.get(block!)!.rows.indexOf(row);
      return [p.x[i], p.y[i] + (k < 0 ? 0 : HEAD + ROW * k)];
    };
    const candidates: [BlockId|undefined, BlockId|undefined, InstId|null][] = [];
    if (pin !== null) candidates.push([pin, pin, null]);
    if (inst !== null) candidates.push([oldSnap.blockOf.get(inst), this.drawn!.snap.blockOf.get(inst), inst]);
    const cx = (this.box.clientWidth / 2 - this.panX) / this.zoom,
          cy = (this.box.clientHeight / 3 - this.panY) / this.zoom;
    const near =
        old.ids
            .map(
                (id, i) => ({id, far: Math.abs(old.x[i] + old.widths[i] / 2 - cx) + Math.abs(old.y[i] - cy)}))
            .filter(b => placed.index.has(b.id))
            .sort((a, b) => a.far - b.far);
    if (near.length) candidates.push([near[0].id, near[0].id, null]);
    for (const [a, b, row] of candidates) {
      const from = at(old, oldSnap, a, row), to = at(placed, this.drawn!.snap, b, row);
      if (!from || !to) continue;
      const screen = [from[0] * this.zoom + this.panX, from[1] * this.zoom + this.panY];
      if (screen[0] < -400 || screen[1] < -400 || screen[0] > this.box.clientWidth + 100 ||
          screen[1] > this.box.clientHeight + 100)
        continue;
      this.panX = screen[0] - to[0] * this.zoom;
      this.panY = screen[1] - to[1] * this.zoom;
      break;
    }
    // Never out of sight altogether.
    const w = placed.width * this.zoom, h = placed.height * this.zoom;
    if (this.panX + w < 120 || this.panX > this.box.clientWidth - 120 || this.panY + h < 80 ||
        this.panY > this.box.clientHeight - 80)
      this.home();
  }

  private reveal(inst: InstId): void {
    const placed = this.placed!, block = this.drawn!.snap.blockOf.get(inst);
    const i = block === undefined ? undefined : placed.index.get(block);
    if (i === undefined) return;
    const row = this.drawn!.snap.blocks.get(block!)!.rows.indexOf(inst);
    const x = placed.x[i] * this.zoom + this.panX,
          y = (placed.y[i] + HEAD + ROW * row) * this.zoom + this.panY;
    const w = this.box.clientWidth, h = this.box.clientHeight;
    if (y < 50)
      this.panY += 90 - y;
    else if (y > h - 50)
      this.panY -= y - h + 110;
    const width = placed.widths[i] * this.zoom;
    if (x < 4 || x + Math.min(width, w - 20) > w) this.panX += Math.max(16, (w - width) / 2) - x;
  }

  private drag(event: PointerEvent): void {
    if (event.button !== 0 || (event.target as Element).closest('.block')) return;
    let {clientX, clientY} = event;
    const move = (e: PointerEvent) => {
      this.pan(clientX - e.clientX, clientY - e.clientY);
      clientX = e.clientX;
      clientY = e.clientY;
    };
    const up = () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', up);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', up);
  }

  // Every place of a register under the pointer.
  private hovered: string|null = null;
  private hover(target: Element|null): void {
    const id = target?.closest<HTMLElement>('[data-v]')?.dataset.v ?? null;
    if (id === this.hovered) return;
    if (this.hovered !== null)
      for (const node of this.world.querySelectorAll(`[data-v="${this.hovered}"]`))
        node.classList.remove('hov');
    this.hovered = id;
    if (id !== null)
      for (const node of this.world.querySelectorAll(`[data-v="${id}"]`)) node.classList.add('hov');
  }

  private move(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    // At once when it is called from show(), so that a step is drawn when the key returns.
    this.scheduled = false;
    if (!this.placed || !this.drawn) return;
    this.world.style.transform =
        `translate(${Math.round(this.panX)}px,${Math.round(this.panY)}px) scale(${this.zoom})`;
    const w = this.box.clientWidth || innerWidth, h = this.box.clientHeight || innerHeight;
    const seen: [number, number, number, number] = [
      -this.panX / this.zoom, -this.panY / this.zoom, (w - this.panX) / this.zoom, (h - this.panY) / this.zoom
    ];
    const r = this.rendered;
    if (seen[0] < r[0] || seen[1] < r[1] || seen[2] > r[2] || seen[3] > r[3]) {
      const margin = MARGIN / Math.max(this.zoom, 0.4);
      this.rendered = [seen[0] - margin, seen[1] - margin, seen[2] + margin, seen[3] + margin];
      this.paint();
    }
    this.paintFrame();
  }

  private paint(): void {
    const placed = this.placed!, {snap} = this.drawn!, [x0, y0, x1, y1] = this.rendered;
    const edges = svg('svg', {class: 'edges', 'aria-hidden': 'true'});
    const nodes: Node[] = [];
    const loops = placed.loops.filter(
        loop => loop.x <= x1 && loop.y <= y1 && loop.x + loop.width >= x0 && loop.y + loop.height >= y0);
    for (const loop of loops.length > 200 ? [] : loops) {
      const info = snap.data.loops.filter(l => placed.index.has(l.header))[loop.loop];
      nodes.push(
          el('div', {
            class: 'loopbox',
            style: `left:${loop.x}px;top:${loop.y + 16}px;width:${loop.width}px;height:${loop.height - 16}px`
          },
             // Beside the edges that enter.
             el('span', {
               style: `left:${
                   Math.round(
                       placed.x[placed.index.get(info.header)!] - loop.x +
                       tracksWidth(snap.slots(info.header).length) + 24)}px`
             },
                `loop ${snap.blocks.get(info.header)?.name}, depth ${info.depth}`)));
    }
    const lit = this.lit();
    const flat = placed.ids.flatMap(
        (id, i) => snap.blocks.get(id)!.to.filter(e => placed.index.has(e.block))
                       .map(e => ({from: id, i, edge: e})));
    const visible = placed.ids.filter(
        (_, i) => placed.x[i] <= x1 && placed.y[i] <= y1 && placed.x[i] + placed.widths[i] >= x0 &&
            placed.y[i] + placed.heights[i] >= y0);
    let rows = 0;
    for (const id of visible) {
      const top = placed.y[placed.index.get(id)!] + HEAD, count = snap.blocks.get(id)!.rows.length;
      rows += Math.max(
          0, Math.min(count, Math.ceil((y1 - top) / ROW)) - Math.max(0, Math.floor((y0 - top) / ROW)));
    }
    this.detail = visible.length > 250        ? 'box' :
        this.zoom < 0.35 || rows > PLAIN_ROWS ? 'head' :
        rows > FULL_ROWS                      ? 'plain' :
                                                'full';
    const together = new Map<number, string>();  // by slot, where there are many
    for (const line of placed.lines) {
      const [a, b, c, d] = line.box;
      if (a > x1 || b > y1 || c < x0 || d < y0) continue;
      if (this.detail === 'box' || this.detail === 'head') {
        together.set(line.slot, (together.get(line.slot) ?? '') + elbow(line.points));
        continue;
      }
      const end = line.points[line.points.length - 1];
      const group =
          svg('g', {}, lanePath([...line.points.slice(0, -1), [end[0], end[1] - 4]], line.slot),
              arrow(end[0], end[1], line.slot));
      const source = snap.blocks.get(flat[line.edge].from)!;
      if (lit && source.region === lit.entry && line.slot && !lit.slots.has(line.slot - 1))
        group.setAttribute('opacity', '.22');
      edges.append(group);
    }
    for (const [slot, d] of together)
      edges.append(svg(
          'path', {d, fill: 'none', stroke: slot ? `var(--l${slot})` : 'var(--ink-3)', 'stroke-width': 2.6}));
    // Lines into the entry and out of the returns.
    if (!together.size)
      placed.ids.forEach((id, i) => {
        if (placed.y[i] > y1 || placed.y[i] + placed.heights[i] < y0) return;
        const block = snap.blocks.get(id)!, lanes = snap.slots(id);
        [...block.lanes].forEach((bit, k) => {
          if (bit === '0' || !lanes.length) return;
          const last = block.to.every(edge => edge.lanes[k] === '0');
          if (i !== 0 && !last) return;
          const x = placed.x[i] + 7 + k * 10 + 3.5, slot = (lanes[k] ?? k) % 6 + 1;
          if (i === 0) edges.append(lanePath([[x, placed.y[i] - 22], [x, placed.y[i]]], slot));
          if (last)
            edges.append(lanePath(
                [[x, placed.y[i] + placed.heights[i]], [x, placed.y[i] + placed.heights[i] + 14]], slot));
        });
      });
    nodes.push(edges);
    const here = this.app.state.inst === null ? undefined : snap.blockOf.get(this.app.state.inst);
    // Far away, all boxes are one drawing.
    if (visible.length > 800) {
      const boxes = visible
                        .map(id => {
                          const i = placed.index.get(id)!;
                          return `M${placed.x[i]},${placed.y[i]}h${placed.widths[i]}v${placed.heights[i]}h${
                              - placed.widths[i]}z`;
                        })
                        .join('');
      edges.append(svg('path', {
        d: boxes,
        fill: 'var(--pane)',
        stroke: 'var(--ink-3)',
        'stroke-width': Math.min(6, 1 / this.zoom)
      }));
    }
    const most = Math.max(1e-9, ...placed.ids.map(id => snap.blocks.get(id)!.frequency));
    placed.ids.forEach((id, i) => {
      if (placed.x[i] > x1 || placed.y[i] > y1 || placed.x[i] + placed.widths[i] < x0 ||
          placed.y[i] + placed.heights[i] < y0)
        return;
      if (visible.length <= 800 || id === here || id === this.app.state.pin)
        nodes.push(this.paintBlock(snap.blocks.get(id)!, i, most));
    });
    if (this.zoom >= 0.45 && this.detail !== 'box') {
      for (const label of placed.labels) {
        if (label.x > x1 || label.y > y1 || label.x < x0 || label.y < y0) continue;
        const {edge, from} = flat[label.edge];
        const source = snap.blocks.get(from)!;
        const text = edge.back ?
            `${number(Number((source.frequency * edge.probability).toPrecision(3)))} times` :
            source.to.length > 1 ? `${edge.when} ${percent(edge.probability)}`.trim() :
                                   '';
        if (text)
          nodes.push(
              el('span', {class: 'elab', style: `left:${label.x}px;top:${label.y}px`, 'aria-hidden': 'true'},
                 text));
      }
    }
    this.hovered = null;
    this.world.replaceChildren(...nodes);
  }

  // The lanes of the chosen sets.
  private lit(): {entry: BlockId; mask: string; slots: Set<number>}|null {
    const {snap} = this.drawn!, choice = this.app.state.sets[0];
    const region = choice && snap.regions.get(choice.entry);
    if (!region) return null;
    const chosen = this.app.snap.regions.get(choice.entry);
    if (!chosen) return null;
    const masks =
        this.app.state.sets.map(s => sameSet(chosen, s.set, region)?.lanes).filter((m): m is string => !!m);
    if (!masks.length) return null;
    const mask = [...masks[0]].map((_, i) => masks.some(m => m[i] !== '0') ? '1' : '0').join('');
    return {
      entry: region.entry,
      mask,
      slots: new Set([...mask].map((bit, i) => bit === '1' ? region.lanes[i]?.slot ?? i : -1))
    };
  }

  private paintBlock(block: Block, i: number, most: number): HTMLElement {
    const placed = this.placed!, {snap, difference} = this.drawn!, {state} = this.app;
    const slots = snap.slots(block.id), present = slots.length ? block.lanes : '';
    const lit = this.lit();
    const dim = lit && slots.length && block.region === lit.entry ?
        [...present].map((bit, k) => bit !== '0' && lit.mask[k] === '0' ? k : -1).filter(k => k >= 0) :
        [];
    const faded = (box: HTMLElement) => {
      if (dim.length)
        for (const track of box.querySelectorAll<HTMLElement>('i')) {
          const k = Math.round((parseFloat(track.style.left) - 7) / 10);
          if (dim.includes(k)) track.style.opacity = '.18';
        }
      return box;
    };
    const node = el('section', {
      class: 'block' + (state.pin === block.id ? ' pin' : ''),
      'data-block': block.id,
      'aria-label': this.words(block),
      style: `left:${placed.x[i]}px;top:${placed.y[i]}px;width:${placed.widths[i]}px;height:${
          placed.heights[i]}px`
    });
    const holds = state.inst !== null && snap.blockOf.get(state.inst) === block.id;
    if (this.detail === 'box' && !holds) {
      if (this.zoom > 0.12) node.append(el('div', {class: 'bh', 'data-b': block.id}, block.name));
      return node;
    }
    const heat = Math.max(0.03, Math.min(1, 1 + Math.log10(Math.max(block.frequency, 1e-9) / most) / 3));
    node.append(el(
        'div', {class: 'bh', 'data-b': block.id}, faded(tracks('0'.repeat(present.length), present, slots)),
        block.name, state.pin === block.id ? el('span', {class: 'pinned'}, 'pinned') : '',
        el('span', {
          class: 'fq',
          title: `${block.measured ? 'measured' : 'estimated'}: ${number(block.frequency)} executions a call`
        },
           number(Number(block.frequency.toPrecision(3))),
           el('span', {class: 'heat'}, el('b', {style: `width:${Math.round(34 * heat)}px`})))));
    const [, y0, , y1] = this.rendered;
    const top = placed.y[i] + HEAD;
    const from = Math.max(0, Math.floor((y0 - top) / ROW)),
          to = Math.min(block.rows.length, Math.ceil((y1 - top) / ROW));
    for (let k = from; k < to; ++k) {
      const id = block.rows[k], inst = snap.insts.get(id)!;
      if ((this.detail === 'head' || this.detail === 'box') && state.inst !== id) continue;
      const added = difference?.added.has(id), tokens = difference?.tokens.get(id),
            moved = difference?.moved.get(id);
      const here = state.inst === id;
      if (this.detail === 'plain' && !here) {
        node.append(
            el('div', {
              class: 'rowi' + (added ? ' new' : ''),
              'data-i': id,
              style: `top:${HEAD + ROW * k}px;padding-left:${tracksWidth(present.length) + 28}px`
            },
               inst.text.length > LIMIT ? inst.text.slice(0, LIMIT - 1) + '…' : inst.text));
        continue;
      }
      const row = el(
          'div', {
            class: 'rowi' + (k === block.rows.length - 1 ? ' term' : '') + (added ? ' new' : '') +
                (here ? ' here' : ''),
            'data-i': id,
            tabindex: here ? 0 : -1,
            'data-k': `row-${this.label}-${id}`,
            'aria-current': here ? 'true' : undefined,
            style: `top:${HEAD + ROW * k}px;background-position:${tracksWidth(present.length)}px 0`
          },
          faded(tracks(inst.lanes, present, slots)), el('span', {class: 'no'}, snap.number.get(id)),
          difference ? el('span', {
            class: 'chg',
            title: added            ? 'new' :
                tokens              ? 'changed' :
                moved !== undefined ? 'moved' :
                                      undefined
          },
                          added      ? '+' :
                              tokens ? '~' :
                                       '') :
                       '',
          code(inst.text, {
            snap,
            block: block.id,
            inst: id,
            value: state.value,
            fresh: tokens,
            limit: here ? undefined : LIMIT
          }),
          moved !== undefined ?
              el('span', {class: 'from', title: 'the block that it came from'},
                 this.app.before.blocks.get(moved)?.name ?? this.drawn!.snap.blocks.get(moved)?.name ?? '') :
              '');
      if (here && inst.text.length > LIMIT) {
        row.classList.add('whole');
        node.classList.add('open');
      }
      node.append(row);
    }
    if (present)
      node.append(
          el('div', {class: 'foot', style: `top:${placed.heights[i] - 8}px`},
             faded(tracks('0'.repeat(present.length), present, slots))));
    return node;
  }

  private words(block: Block): string {
    const {snap} = this.drawn!;
    const to = block.to.map(
        e => `to ${snap.blocks.get(e.block)?.name ?? 'a block'}, ${percent(e.probability)}${
            e.lanes ? ', ' + laneWords(e.lanes) : ''}${e.back ? ', back' : ''}`);
    return `block ${block.name}${block.lanes ? ', ' + laneWords(block.lanes) : ''}; ${
        to.join('; ') || 'returns'}`;
  }

  private overviewScale(): number {
    return Math.min(150 / this.placed!.width, 190 / this.placed!.height);
  }
  private paintFrame(): void {
    const placed = this.placed!, w = this.box.clientWidth, h = this.box.clientHeight;
    const large = placed.width * this.zoom > w * 2 || placed.height * this.zoom > h * 2;
    this.overview.hidden = this.frame.hidden = !large;
    if (!large) return;
    const scale = this.overviewScale();
    const key = `${this.drawn!.stepKey}.${this.drawn!.snap.index}.${document.documentElement.dataset.theme}`;
    if (key !== this.overviewKey) {
      this.overviewKey = key;
      const style = getComputedStyle(document.documentElement), context = this.overview.getContext('2d')!;
      context.clearRect(0, 0, 150, 190);
      placed.ids.forEach((id, i) => {
        context.fillStyle = style.getPropertyValue(
            this.drawn!.difference &&
                    this.drawn!.snap.blocks.get(id)!.rows.some(r => this.drawn!.difference!.added.has(r)) ?
                '--new-edge' :
                '--line-2');
        context.fillRect(
            placed.x[i] * scale, placed.y[i] * scale, Math.max(1.5, placed.widths[i] * scale),
            Math.max(1.5, placed.heights[i] * scale));
      });
    }
    const left = Math.max(0, -this.panX / this.zoom * scale),
          top = Math.max(0, -this.panY / this.zoom * scale);
    const right = Math.min(150, (w - this.panX) / this.zoom * scale),
          bottom = Math.min(190, (h - this.panY) / this.zoom * scale);
    this.frame.style.cssText = `right:${12 + 150 - right}px;bottom:${12 + 190 - bottom}px;width:${
        Math.max(4, right - left)}px;height:${Math.max(4, bottom - top)}px`;
  }
}
