// 2 Live ranges: instructions down, values across, within a column one cell for each lane. Beside:
// interference, pressure, copies left.
import type {App, View} from '../app';
import {code, LIMIT} from '../code';
import type {BlockId, InstId, Value, ValueId} from '../data';
import {el, muted, plural, segments, svg, type Kid} from '../dom';
import {copyReason, Inspector} from '../inspector';
import {sideOpen} from '../keys';
import {full, slotOf, strip, tracks} from '../lanes';
import type {Snap} from '../model';
import {rail} from './flow';

const RH = 25, CELL = 8, GAP = 11, GROUP = 17, TOP = 50, MANY = 160;

interface Column {
  value: Value;
  x: number;
  lanes: number
}
interface Bracket {
  title: string;
  from: number;
  to: number
}

export class LiveView implements View {
  private box: HTMLElement|null = null;
  private sheets: HTMLElement[] = [];
  private mainBox: HTMLElement|null = null;
  private hover: ValueId|null = null;
  private focus: {value: ValueId|null; inst: InstId | null}|null = null;
  private readonly scroll = new Map<string, [number, number]>();

  draw(app: App, box: HTMLElement): void {
    this.box ??= el('div', {class: 'work'});
    const {state} = app, side = sideOpen(app);
    this.box.style.gridTemplateColumns =
        `minmax(0,1fr) ${side ? innerWidth < 1400 ? '352px' : '400px' : '34px'}`;
    const steps = app.func.data.steps;
    const snap = app.snap;
    const charts: [string, Snap][] = [];
    const title = (step: number, s: Snap) =>
        `${s.data.form === 'plain' || s.data.form === 'allocated' ? 'Registers' : 'Values'} ${
            step === 0 ? 'of the input' : `after ${steps[step].pass}`}`;
    if (state.compare && app.base !== app.step) charts.push([title(app.base, app.before), app.before]);
    charts.push([title(app.step, snap), snap]);
    this.mainBox =
        el('section', {class: 'pane', 'aria-label': 'Live ranges'},
           el('div', {class: 'head'}, el('h2', {}, 'Live ranges'),
              el('span', {class: 'sub m'}, '$' + app.func.name),
              el('span', {class: 'end'},
                 segments(
                     'Analysis', [['aware', 'aware'], ['blind', 'blind']], state.blind ? 'blind' : 'aware',
                     id => app.set({blind: id === 'blind'})),
                 segments(
                     'Columns', [['values', 'values'], ['web', 'by web'], ['register', 'by register']],
                     state.group, id => app.set({group: id as typeof state.group})))),
           el('div', {class: 'sheets'},
              this.sheets = charts.map(([words, s], i) => this.sheet(app, words, s, `${i}`))),
           this.legend(app, snap));
    this.mainBox.addEventListener('click', event => app.click(event));
    const kids = [
      this.mainBox,
      side ? this.side(app, snap) : rail('i', 'Interference, copies', true, () => app.set({side: true}))
    ];
    this.box.replaceChildren(...kids);
    if (box.firstChild !== this.box) box.replaceChildren(this.box);
    for (const sheet of this.sheets) {
      const area = sheet.querySelector<HTMLElement>('.chart')!;
      const at = this.scroll.get(area.dataset.key!);
      if (at) [area.scrollLeft, area.scrollTop] = at;
      const row = state.inst === null ? -1 : Number(area.dataset.at);
      if (row >= 0 &&
          (row * RH + TOP < area.scrollTop + TOP ||
           (row + 2) * RH + TOP > area.scrollTop + area.clientHeight))
        area.scrollTop = Math.max(0, row * RH - area.clientHeight / 3);
      area.dispatchEvent(new Event('paint'));
    }
  }

  // The columns, in groups.
  private columns(app: App, snap: Snap):
      {columns: Column[]; brackets: Bracket[]; width: number; left: number} {
    const selected = this.focus ? this.focus.value : app.state.value;
    let values = [...snap.values.values()].filter(
        v => v.live?.length || v.definitions.some(d => snap.number.has(d)) || v.parameter);
    let left = 0;
    if (values.length > MANY) {
      // Bars only for the selected value and its partners.
      const near = selected === null ? [] : [selected, ...(snap.partners(selected, app.state.blind) || [])];
      const kept = new Set(near.length ? near.slice(0, MANY) : values.slice(0, MANY).map(v => v.id));
      left = values.length - kept.size;
      values = values.filter(v => kept.has(v.id));
    }
    const groups: [string, Value[]][] = [];
    const group = (title: string, value: Value, key: string) => {
      const found = groups.find(g => (g as any).key === key);
      if (found)
        found[1].push(value);
      else
        groups.push(Object.assign([title, [value]] as [string, Value[]], {key}));
    };
    const plain = snap.data.form === 'plain' || snap.data.form === 'allocated';
    const step = snap === app.snap ? app.step : app.base;
    const becomes = (value: Value) => app.func.becomes(step, value.id);
    for (const value of values) {
      if (app.state.group === 'values')
        group('', value, 'all');
      else if (app.state.group === 'register' && becomes(value))
        group(`→ ${becomes(value)}`, value, `r${becomes(value)}`);
      else if (value.parameter && value.web === null)
        group('parameters', value, 'parameters');
      else if (value.web !== null && !plain)
        group('', value, `w${value.web}`);
      else
        group(
            value.class === 'predicate' ? plain ? 'predicate registers' : 'predicates' :
                plain                   ? 'registers' :
                                          'values',
            value, value.class);
    }
    for (const g of groups)
      if (!g[0] && (g as any).key?.startsWith?.('w')) {
        const to = g[1].map(becomes).find(Boolean);
        g[0] = to ? `web → ${to}` : 'web';
      }
    const order = (g: [string, Value[]]) => g[0] === 'parameters' ? 0 :
        g[0].startsWith('web') || g[0].startsWith('→')            ? 1 :
        g[0].startsWith('predicate')                              ? 3 :
                                                                    2;
    groups.sort((a, b) => order(a) - order(b));
    const columns: Column[] = [], brackets: Bracket[] = [];
    let x = 6;
    for (const [title, list] of groups) {
      const from = x;
      for (const value of list) {
        const lanes = Math.max(1, ...(value.live || []).map(l => l[3].length), this.lanesOf(snap, value));
        const width = Math.max(lanes * (CELL + 1) - 1, Math.ceil(value.name.length * 7) - 4, 18);
        columns.push({value, x: x + Math.round((width - (lanes * (CELL + 1) - 1)) / 2), lanes});
        x += width + GAP;
      }
      if (title) brackets.push({title, from, to: Math.max(x - GAP, from + title.length * 6)});
      if (title && x < from + title.length * 6 + GAP) x = from + title.length * 6 + GAP;
      x += GROUP;
    }
    return {columns, brackets, width: x, left};
  }
  private lanesOf(snap: Snap, value: Value): number {
    const block = value.definitions.length ? snap.blockOf.get(value.definitions[0]) : snap.data.order[0];
    return snap.slots(block).length || 1;
  }

  // `focus`: what is looked at, if not the page's selection.
  sheet(app: App, words: string, snap: Snap, key: string, focus?: {value: ValueId|null; inst: InstId | null}):
      HTMLElement {
    const state = {...app.state, ...focus};
    this.focus = focus ?? null;
    const pairs = snap.data.interference;
    const total = [...snap.values.values()].length;
    const small = `${plural(total, 'value')}${
        pairs ? ` · ${plural(pairs.pairs.length, 'pair')} interfere, ${
                    pairs.pairs.length + pairs.blind_only.length} if blind to predicates` :
                ''}${
        snap.data.copies?.length ? ` · ${plural(snap.data.copies.length, 'copy', 'copies')} left` : ''}`;
    const head = el('h2', {}, words, el('small', {}, small));
    if (snap.data.omitted.includes('live'))
      return el(
          'div', {class: 'sheet'}, head,
          el('div', {class: 'chart', 'data-key': key, 'data-at': -1},
             el('p', {class: 'note'},
                'Not known: live ranges of a function this large are left out of the page.')));
    if (state.table)
      return el(
          'div', {class: 'sheet'}, head,
          el('div', {
            class: 'chart',
            'data-key': key,
            'data-at': -1,
            tabindex: 0,
            role: 'region',
            'aria-label': words
          },
             this.table(snap)));
    const rows: {id: InstId; block: BlockId; first: boolean}[] = [];
    for (const id of snap.data.order)
      snap.blocks.get(id)!.rows.forEach((row, i) => rows.push({id: row, block: id, first: i === 0}));
    const {columns, brackets, width, left} = this.columns(app, snap);
    const height = TOP + rows.length * RH + 10;
    const codeWidth = 384;
    const inner =
        el('div', {class: 'chart-inner', style: `height:${height}px;width:${codeWidth + width + 110}px`});
    const area =
        el('div', {
          class: 'chart',
          'data-key': key,
          'data-at': rows.findIndex(r => r.id === state.inst),
          tabindex: 0,
          role: 'region',
          'aria-label': words,
          'data-k': `chart${key}`
        },
           inner);
    const index = new Map(rows.map((r, i) => [r.id, i]));
    let shown = '';
    const paint = (always: boolean) => {
      const from = Math.max(0, Math.floor((area.scrollTop - TOP) / RH) - 6),
            to = Math.min(rows.length, from + Math.ceil((area.clientHeight || 700) / RH) + 14);
      const [x0, x1] = columns.length > 60 ?
          [area.scrollLeft - 200, area.scrollLeft + area.clientWidth + 200] :
          [-Infinity, Infinity];
      const now = `${from},${to},${Math.floor(Math.max(0, x0) / 100)}`;
      if (!always && now === shown) return;
      shown = now;
      inner.replaceChildren(
          this.codeColumn(app, snap, rows, from, to, codeWidth),
          this.bars(
              app, snap, rows, index, columns.filter(c => c.x > x0 && c.x < x1), brackets, width, from, to,
              codeWidth));
    };
    area.addEventListener('scroll', () => {
      this.scroll.set(key, [area.scrollLeft, area.scrollTop]);
      paint(false);
    }, {passive: true});
    area.addEventListener('paint', () => paint(true));
    return el(
        'div', {class: 'sheet'}, head,
        left ? el('p', {class: 'note'},
                  `Bars of ${columns.length} values; ${
                      left} are left out. Select a value to see it with its partners.`) :
               '',
        area);
  }

  private codeColumn(
      app: App, snap: Snap, rows: {id: InstId; block: BlockId; first: boolean}[], from: number, to: number,
      width: number): HTMLElement {
    const state = {...app.state, ...this.focus};
    const box = el('div', {class: 'code-column', style: `width:${width}px`});
    for (let i = from; i < to; ++i) {
      const {id, block, first} = rows[i], inst = snap.insts.get(id)!, slots = snap.slots(block),
                        present = slots.length ? snap.blocks.get(block)!.lanes : '';
      box.append(el(
          'div',
          {class: 'lrow' + (state.inst === id ? ' hot' : ''), 'data-i': id, style: `top:${TOP + i * RH}px`},
          tracks(inst.lanes, present, slots), el('span', {class: 'no'}, snap.number.get(id)),
          code(inst.text, {snap, block, inst: id, value: state.value, limit: state.inst === id ? LIMIT : 40}),
          first && rows.length !== snap.blocks.get(block)!.rows.length ?
              el('span', {class: 'from'}, snap.blocks.get(block)!.name) :
              ''));
    }
    return box;
  }

  private bars(
      app: App, snap: Snap, rows: {id: InstId; block: BlockId}[], index: Map<InstId, number>,
      columns: Column[], brackets: Bracket[], width: number, from: number, to: number,
      codeWidth: number): SVGElement {
    const state = {...app.state, ...this.focus};
    const blockRange = new Map<BlockId, [number, number]>();
    for (const id of snap.data.order) {
      const list = snap.blocks.get(id)!.rows;
      if (list.length) blockRange.set(id, [index.get(list[0])!, index.get(list[list.length - 1])!]);
    }
    const picture = svg('svg', {
      class: 'bars',
      width: width + 100,
      height: TOP + rows.length * RH + 10,
      style: `left:${codeWidth}px`,
      role: 'group',
      'aria-label': 'Live ranges'
    });
    const mid = (i: number) => TOP + (i + 0.5) * RH;
    for (let i = from; i <= to; ++i)
      picture.append(svg('line', {
        x1: -4,
        x2: width - 4,
        y1: TOP + i * RH,
        y2: TOP + i * RH,
        stroke: 'var(--line)',
        'stroke-width': i > 0 && i < rows.length && rows[i - 1].block !== rows[i].block ? 1.6 : 0.7
      }));
    const here = state.inst === null ? undefined : index.get(state.inst);
    if (here !== undefined)
      picture.prepend(svg('rect', {x: -4, y: TOP + here * RH, width, height: RH, fill: 'var(--raised)'}));
    for (const {title, from: a, to: b} of brackets)
      picture.append(
          svg('path', {d: `M${a},20v-5h${b - a}v5`, fill: 'none', stroke: 'var(--line-2)'}),
          svg('text', {x: a, y: 10, class: 'gl'}, title));
    const focus = this.hover ?? state.value;
    const partners = focus === null ? null : new Set(snap.partners(focus, state.blind) || []);
    const hasFocus = focus !== null && snap.values.has(focus);
    for (const {value, x, lanes} of columns) {
      const w = lanes * (CELL + 1) - 1, far = hasFocus && value.id !== focus && !partners!.has(value.id);
      const g = svg('g', {
        opacity: far ? 0.3 : 1,
        'data-v': value.id,
        class: 'column',
        role: 'button',
        tabindex: -1,
        'aria-label': value.name
      });
      const nameWidth = value.name.length * 7.2;
      if (value.id === focus)
        g.append(svg('rect', {
          x: x + w / 2 - nameWidth / 2 - 4,
          y: 25,
          width: nameWidth + 8,
          height: 17,
          rx: 3,
          fill: 'var(--ink)'
        }));
      else if (partners?.has(value.id))
        g.append(svg('rect', {
          x: x + w / 2 - nameWidth / 2 - 3.5,
          y: 25.5,
          width: nameWidth + 7,
          height: 16,
          rx: 3,
          fill: 'none',
          stroke: 'var(--ink)',
          'stroke-width': 1.4
        }));
      g.append(svg(
          'text', {x: x + w / 2, y: 38, 'text-anchor': 'middle', class: value.id === focus ? 'chosen' : ''},
          value.name));
      for (const [block, start, end, mask] of value.live || []) {
        const range = blockRange.get(block);
        if (!range) continue;
        const slots = snap.slots(block);
        const y0 = start === null ? TOP + range[0] * RH - (range[0] === 0 ? 4 : 0) :
                                    mid(index.get(start) ?? range[0]);
        const y1 = end === null ? TOP + (range[1] + 1) * RH : mid(index.get(end) ?? range[1]);
        if (y1 < TOP + from * RH || y0 > TOP + to * RH) continue;
        if (state.blind || mask === '' || full(mask))
          g.append(svg('rect', {x, y: y0, width: w, height: Math.max(0, y1 - y0), class: 'all'}));
        else
          [...mask].forEach((bit, i) => {
            if (bit !== '0')
              g.append(svg('rect', {
                x: x + i * (CELL + 1),
                y: y0,
                width: bit === '?' ? CELL / 2 : CELL,
                height: Math.max(0, y1 - y0) + 0.3,
                fill: `url(#p${slotOf(slots, i)})`
              }));
          });
      }
      picture.append(g);
      const drawn = new Set<InstId>([...value.definitions, ...value.uses]);
      for (const id of drawn) {
        const i = index.get(id);
        if (i === undefined || i < from || i >= to) continue;
        const inst = snap.insts.get(id)!, y = mid(i), region = snap.slots(rows[i].block).length;
        const read = inst.reads.find(r => r[0] === value.id)?.[1],
              written = inst.writes.find(r => r[0] === value.id)?.[1];
        const cells = (mask: string) => mask === '' || !region || lanes === 1 ?
            [[0, w, '1']] as [number, number, string][] :
            [...mask].map((bit, l) => [l * (CELL + 1), CELL, bit] as [number, number, string]);
        const after = (l: number) => (value.live || []).some(([block, start, end, mask]) => {
          if (block !== rows[i].block) return false;
          const a = start === null ? -1 : index.get(start) ?? -1,
                b = end === null ? Infinity : index.get(end) ?? -1;
          return a <= i && b > i && (mask === '' || lanes === 1 || (mask[l] ?? '1') !== '0');
        });
        if (read !== undefined || inst.guard?.[0] === value.id)
          for (const [dx, cw, bit] of cells(read ?? snap.blocks.get(rows[i].block)!.lanes))
            if (bit !== '0') g.append(svg('circle', {cx: x + dx + cw / 2, cy: y, r: 2.1, class: 'ring'}));
        if (written !== undefined)
          cells(written).forEach(([dx, cw, bit], l) => {
            if (bit !== '0')
              g.append(
                  svg('rect',
                      {x: x + dx, y: y - 2, width: cw, height: 4, class: after(l) ? 'cap' : 'cap hollow'}));
          });
      }
      g.append(
          svg('rect', {x: x - 4, y: 22, width: w + 8, height: TOP + rows.length * RH, fill: 'transparent'}));
      g.addEventListener('pointerenter', () => this.point(app, snap, value.id));
    }
    this.conflict(app, snap, rows, index, columns, picture, focus);
    this.pressure(snap, rows, index, picture, width, from, to);
    return picture;
  }

  // The line and the lane in which a copy's two ends, or the selected value and the hovered one, are both
  // needed.
  private conflict(
      app: App, snap: Snap, rows: {id: InstId; block: BlockId}[], index: Map<InstId, number>,
      columns: Column[], picture: SVGElement, focus: ValueId|null): void {
    const {state} = app;
    const other =
        this.hover !== null && state.value !== null && this.hover !== state.value ? this.hover : null;
    const later = state.compare ? app.snap : null;
    const copy = later && later !== snap ?
        (later.data.copies || []).find(c => c.because && (c.because.values.includes(focus ?? -1))) :
        undefined;
    let pair: [ValueId, ValueId]|null = null, at: InstId|null = null, lane = -1;
    if (other !== null && (snap.partners(state.value!, false) || []).includes(other)) {
      pair = [state.value!, other];
      // The first row after which both are live in one lane: read off the bars.
      const live = (v: ValueId, i: number, l: number) =>
          (snap.values.get(v)?.live || [])
              .some(
                  ([block, a, b, mask]) => block === rows[i].block &&
                      (a === null ? -1 : index.get(a) ?? -1) <= i &&
                      (b === null ? Infinity : index.get(b) ?? -1) > i && (mask === '' || mask[l] !== '0'));
      for (let i = 0; i < rows.length && at === null; ++i)
        for (let l = 0; l < Math.max(1, snap.slots(rows[i].block).length); ++l)
          if (live(pair[0], i, l) && live(pair[1], i, l)) {
            at = rows[i].id;
            lane = l;
            break;
          }
    } else if (copy?.because) {
      pair = copy.because.values;
      at = copy.because.at;
      lane = copy.because.lanes.search(/[1?]/);
    }
    if (!pair || at === null) return;
    const row = index.get(at), places = pair.map(v => columns.find(c => c.value.id === v));
    if (row === undefined || !places[0] || !places[1]) return;
    const y = TOP + (row + 0.5) * RH,
          xs = places.map(c => c!.x + (c!.lanes > 1 ? Math.max(0, lane) * (CELL + 1) : 0));
    for (const x of xs)
      picture.append(svg('rect', {
        x: x - 4,
        y: y - 8,
        width: CELL + 8,
        height: 16,
        rx: 8,
        fill: 'none',
        stroke: 'var(--bad)',
        'stroke-width': 2
      }));
    const [a, b] = [Math.min(...xs), Math.max(...xs)];
    picture.append(
        svg('line', {x1: a + CELL + 4, x2: b - 4, y1: y, y2: y, stroke: 'var(--bad)', 'stroke-width': 2}));
    const names = pair.map(v => snap.values.get(v)?.name ?? '');
    picture.append(
        svg('text', {x: a, y: y - 12, class: 'why'},
            `${names[0]} and ${names[1]} are both needed after line ${snap.number.get(at)}${
                lane >= 0 && places[0].lanes > 1 ? `, in lane ${lane + 1}` : ''}`));
  }

  private point(app: App, snap: Snap, value: ValueId): void {
    if (this.hover === value) return;
    this.hover = value;
    void snap;
    for (const sheet of this.sheets) sheet.querySelector('.chart')?.dispatchEvent(new Event('paint'));
    this.mainBox?.addEventListener('pointerleave', () => {
      this.hover = null;
      for (const sheet of this.sheets) sheet.querySelector('.chart')?.dispatchEvent(new Event('paint'));
    }, {once: true});
    void app;
  }

  private pressure(
      snap: Snap, rows: {id: InstId; block: BlockId}[], index: Map<InstId, number>, picture: SVGElement,
      width: number, from: number, to: number): void {
    const x = width - 2;
    const most = Math.max(
        1,
        ...snap.data.order.flatMap(
            id => (snap.blocks.get(id)!.pressure || [])
                      .filter(p => p.class === 'general')
                      .flatMap(p => p.blind)));
    const unit = Math.min(7, 76 / most);
    picture.append(
        svg('path', {d: `M${x},20v-5h76v5`, fill: 'none', stroke: 'var(--line-2)'}),
        svg('text', {x, y: 10, class: 'gl'}, 'pressure'), svg('text', {x, y: 38, class: 'gl'}, 'general'));
    for (let i = from; i < to; ++i) {
      const block = snap.blocks.get(rows[i].block)!,
            general = block.pressure?.find(p => p.class === 'general');
      if (!general) continue;
      const k = i - index.get(block.rows[0])!, aware = general.aware[k] ?? 0, blind = general.blind[k] ?? 0,
            y = TOP + (i + 1) * RH - 4;
      if (!blind) continue;
      picture.append(svg('rect', {x, y, width: aware * unit, height: 8, rx: 1.5, fill: 'var(--ink-3)'}));
      if (blind > aware)
        picture.append(svg('rect', {
          x: x + 0.5,
          y: y + 0.5,
          width: blind * unit,
          height: 7,
          rx: 1.5,
          fill: 'none',
          stroke: 'var(--ink-3)',
          'stroke-dasharray': '2 1.5'
        }));
      picture.append(
          svg('text', {x: x + blind * unit + 5, y: y + 8, class: 'count'},
              aware === blind ? String(aware) : `${aware} (${blind})`));
    }
  }

  private table(snap: Snap): HTMLElement {
    const line = (id: InstId|null, otherwise: string) =>
        id === null ? otherwise : String(snap.number.get(id) ?? '');
    return el(
        'table', {class: 't'},
        el('thead', {},
           el('tr', {}, ['value', 'block', 'from line', 'to line', 'lanes'].map(h => el('th', {}, h)))),
        el('tbody', {},
           [...snap.values.values()].slice(0, 400).flatMap(
               value => (value.live || [])
                            .map(
                                ([block, a, b, mask]) =>
                                    el('tr', {}, el('td', {class: 'm', 'data-v': value.id}, value.name),
                                       el('td', {class: 'm'}, snap.blocks.get(block)?.name),
                                       el('td', {class: 'm'}, line(a, 'start')),
                                       el('td', {class: 'm'}, line(b, 'end')),
                                       el('td', {}, mask ? strip(mask, snap.slots(block)) : 'all'))))));
  }

  private legend(app: App, snap: Snap): HTMLElement {
    const region = new Inspector(app).region(snap);
    const slots = region?.lanes.map(l => l.slot) || [];
    return el(
        'div', {class: 'key'},
        (region?.lanes || [])
            .map(
                (lane, i) =>
                    el('span', {},
                       strip(
                           '0'.repeat(i) + '1' +
                               '0'.repeat(slots.length - i - 1),
                           slots),
                       el('code', {}, region!.sets.find(s => s.id === lane.set)?.names[0] ?? lane.term))),
        el('span', {}, el('i', {class: 'swatch all'}), 'live in every execution'),
        el('span', {}, el('i', {class: 'swatch written'}), 'written'),
        el('span', {}, el('i', {class: 'swatch unneeded'}), 'written, not needed'),
        el('span', {}, el('i', {class: 'swatch read'}), 'read'),
        el('span', {}, el('i', {class: 'swatch bad'}), 'conflict'));
  }

  private side(app: App, snap: Snap): HTMLElement {
    const {state} = app;
    const focus = state.value !== null ? snap.values.get(state.value) : undefined;
    const before = state.compare && app.base !== app.step ? app.before : snap;
    const shown = focus && before.values.has(focus.id) ? before : snap;
    const partners = focus ? shown.partners(focus.id, state.blind) : null;
    const copies = snap.data.copies || [];
    const weight = copies.reduce((sum, c) => sum + c.weight, 0);
    const side =
        el('aside', {class: 'pane inspector', 'aria-label': 'Interference and copies'},
           el('div', {class: 'sect'},
              el('div', {class: 'head'}, el('h2', {}, 'Interference'),
                 focus ? el('span', {class: 'sub m'}, focus.name) : '',
                 el('span', {class: 'end'}, partners ? plural(partners.length, 'partner') : '')),
              el('div', {class: 'body'}, this.matrix(app, shown))),
           el('div', {class: 'sect last'},
              el('div', {class: 'head'}, el('h2', {}, 'Copies left'),
                 el('span', {class: 'end'},
                    snap.data.copies ? `${copies.length}, ${Number(weight.toPrecision(3))} a call` : '')),
              el('div', {class: 'body'},
                 !snap.data.copies ? muted('There are none before the step out of SSA form.') :
                     copies.length ? copies.slice(0, 60).map(copy => {
                       const block = snap.blockOf.get(copy.id);
                       return el(
                           'div', {class: 'copy', 'data-i': copy.id},
                           code(
                               snap.insts.get(copy.id)?.text ?? '',
                               {snap, block, inst: copy.id, value: state.value}),
                           muted('  line ', snap.number.get(copy.id)),
                           copyReason(snap, copy, snap.slots(block)));
                     }) :
                                       'No copy is left.')));
    side.addEventListener('click', event => app.click(event));
    return side;
  }

  private matrix(app: App, snap: Snap): Kid {
    const data = snap.data.interference;
    if (!data)
      return el(
          'p', {class: 'note'}, 'Not known: the pairs of a function this large are left out of the page.');
    const focus = app.state.value;
    let values = [...snap.values.values()].filter(v => v.definitions.length || v.parameter);
    const MOST = 44;
    if (values.length > MOST) {
      const near = focus === null ? [] : [focus, ...(snap.partners(focus, true) || [])];
      values = near.length ? values.filter(v => near.slice(0, MOST).includes(v.id)) : values.slice(0, MOST);
    }
    const n = values.length, size = Math.max(6, Math.min(15, Math.floor(300 / Math.max(1, n)))),
          left = 8 + Math.min(90, Math.max(...values.map(v => v.name.length), 1) * 6.1);
    const key = (a: number, b: number) => a < b ? `${a},${b}` : `${b},${a}`;
    const meets = new Set(data.pairs.map(([a, b]) => key(a, b))),
          blind = new Set(data.blind_only.map(([a, b]) => key(a, b)));
    if (app.state.table)
      return el(
          'table', {class: 't'},
          el('tbody', {},
             values.map(
                 v =>
                     el('tr', {}, el('td', {class: 'm'}, v.name),
                        el('td', {class: 'm'},
                           (snap.partners(v.id, false) || [])
                               .map(id => snap.values.get(id)?.name)
                               .join(' '))))));
    const low = n * size + 10 + Math.min(90, left);
    const picture = svg('svg', {
      class: 'matrix',
      width: left + n * size + 6,
      height: low,
      role: 'img',
      'aria-label': `Interference of ${n} values: ${data.pairs.length} pairs; ${
          data.blind_only.length} only if blind to predicates`
    });
    const h = values.findIndex(v => v.id === focus);
    if (h >= 0)
      picture.append(
          svg('rect', {x: left, y: h * size, width: h * size + size, height: size, class: 'band'}),
          svg('rect', {x: left + h * size, y: h * size, width: size, height: (n - h) * size, class: 'band'}));
    values.forEach((a, i) => {
      if (size >= 9) {
        picture.append(
            svg('text', {
              x: left - 6,
              y: i * size + size - 4,
              'text-anchor': 'end',
              class: i === h ? 'chosen' : '',
              'data-v': a.id
            },
                a.name));
        picture.append(
            svg('text', {
              transform: `translate(${left + i * size + size / 2 + 3},${n * size + 5}) rotate(90)`,
              class: i === h ? 'chosen' : '',
              'data-v': a.id
            },
                a.name));
      }
      for (let j = 0; j < i; ++j) {
        const pair = key(a.id, values[j].id), yes = meets.has(pair), only = !yes && blind.has(pair);
        picture.append(
            svg('rect', {
              x: left + j * size + 1,
              y: i * size + 1,
              width: size - 2,
              height: size - 2,
              rx: 2,
              class: yes || only && app.state.blind ? h === i || h === j ? 'yes ink' : 'yes' :
                  only                              ? 'only' :
                                                      'no'
            },
                svg('title', {},
                    `${a.name} and ${values[j].name}: ${
                        yes      ? 'interfere' :
                            only ? 'only if blind to predicates' :
                                   'do not interfere'}`)));
      }
    });
    return [
      el('div', {class: 'chart-box', tabindex: 0, role: 'region', 'aria-label': 'Interference'}, picture),
      el('p', {class: 'note'}, el('i', {class: 'swatch dashed'}),
         ` ${plural(data.blind_only.length, 'pair')} interfere only if blind to predicates`,
         n < snap.values.size && n === MOST ? `; the first ${MOST} values` : '')
    ];
  }
}
